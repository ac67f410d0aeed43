//! Formats of strings.
//!
//! Those of llguidance are used where they allow nothing that their RFC forbids. Dates are narrowed: February has 29
//! days in leap years only (RFC 3339, section 5.7), and a leap second is left out, since which minutes have one is
//! not a matter of syntax.

use super::SchemaError;

/// How a format is enforced.
pub(super) enum Enforced {
    /// llguidance's own expression.
    Library(&'static str),
    /// An expression of ours, with anchors.
    Pattern(String),
    /// The type says it already.
    Type,
}

const DATE: &str = concat!(
    "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)",
    "|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
);
const TIME: &str =
    "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";
/// RFC 5321's mailbox with a domain name, in letters, digits and the usual signs.
const EMAIL: &str = concat!(
    "[a-zA-Z0-9_+-]{1,20}(?:\\.[a-zA-Z0-9_+-]{1,20}){0,2}@",
    "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,20}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,20}[a-zA-Z0-9])?){1,3}"
);
/// RFC 1123: labels of letters, digits and inner hyphens; few enough to stay below 253 characters. Hyphens in the
/// third and fourth place are kept for encoded names (RFC 5890) and left out.
const HOSTNAME: &str = concat!(
    "[a-zA-Z0-9](?:[a-zA-Z0-9]{0,20}(?:-[a-zA-Z0-9]{1,20})?)?",
    "(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9]{0,20}(?:-[a-zA-Z0-9]{1,20})?)?){0,4}"
);
/// RFC 4122's text form.
const UUID: &str = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
/// ISO 8601 as in RFC 3339, appendix A.
const DURATION: &str = concat!(
    "P(?:[0-9]{1,6}W|(?:[0-9]{1,6}Y(?:[0-9]{1,6}M(?:[0-9]{1,6}D)?)?|[0-9]{1,6}M(?:[0-9]{1,6}D)?|[0-9]{1,6}D)",
    "(?:T(?:[0-9]{1,6}H(?:[0-9]{1,6}M(?:[0-9]{1,6}S)?)?|[0-9]{1,6}M(?:[0-9]{1,6}S)?|[0-9]{1,6}S))?",
    "|T(?:[0-9]{1,6}H(?:[0-9]{1,6}M(?:[0-9]{1,6}S)?)?|[0-9]{1,6}M(?:[0-9]{1,6}S)?|[0-9]{1,6}S))"
);
/// RFC 3986 with an authority, as links are written, or a name without one (`urn:`, `mailto:`).
const URI: &str = concat!(
    "(?:[a-zA-Z][a-zA-Z0-9+.-]{0,20}://[a-zA-Z0-9](?:[a-zA-Z0-9.-]{0,60}[a-zA-Z0-9])?(?::[0-9]{1,4})?",
    "(?:/(?:[a-zA-Z0-9._~!$&'()*+,;=:@-]|%[0-9a-fA-F]{2})*)*",
    "|(?:urn|mailto|tel):(?:[a-zA-Z0-9._~!$&'()*+,;=:@-]|%[0-9a-fA-F]{2})+)",
    "(?:\\?(?:[a-zA-Z0-9._~!$&'()*+,;=:@/?-]|%[0-9a-fA-F]{2})*)?",
    "(?:#(?:[a-zA-Z0-9._~!$&'()*+,;=:@/?-]|%[0-9a-fA-F]{2})*)?"
);

/// The formats that are enforced.
const FORMATS: &[(&str, &str)] = &[
    ("date", DATE),
    ("time", TIME),
    ("email", EMAIL),
    ("hostname", HOSTNAME),
    ("uuid", UUID),
    ("duration", DURATION),
    ("uri", URI),
    ("json-pointer", "(?:/(?:[^/~]|~[01])*)*"),
    ("relative-json-pointer", "(?:0|[1-9][0-9]{0,8})(?:#|(?:/(?:[^/~]|~[01])*)*)"),
];

/// How a format is enforced; an unknown one is an error.
pub(super) fn of(name: &str, at: &str) -> Result<Enforced, SchemaError> {
    if let Some((_, pattern)) = FORMATS.iter().find(|(f, _)| *f == name) {
        return Ok(Enforced::Pattern(format!("^(?:{pattern})$")));
    }
    match name {
        "date-time" => Ok(Enforced::Pattern(format!("^(?:{DATE}T{TIME})$"))),
        "idn-email" => of("email", at),
        "idn-hostname" => of("hostname", at),
        "uri-reference" | "iri" | "iri-reference" => of("uri", at),
        "ipv4" => Ok(Enforced::Library("ipv4")),
        "ipv6" => Ok(Enforced::Library("ipv6")),
        // OpenAPI's, which bound what a type's own values already are to their readers.
        "float" | "double" | "password" => Ok(Enforced::Type),
        _ => Err(SchemaError::Unsupported {
            keyword: "format".into(),
            at: at.into(),
            why: format!(" with {name:?}"),
        }),
    }
}
