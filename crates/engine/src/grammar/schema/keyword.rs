//! The keywords of JSON Schema, and what each holds.

/// What a keyword's value is, and so what is done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Says nothing about which texts are valid, or is read elsewhere.
    Annotation,
    Type,
    Bound,
    Count,
    Required,
    Pattern,
    Format,
    Constant,
    Schema,
    Items,
    SchemaMap,
    SchemaList,
    Ref,
    /// Refused, but for forms that ask for nothing.
    Unsupported,
}

const KEYWORDS: &[(&str, Kind)] = &[
    ("type", Kind::Type),
    ("minimum", Kind::Bound),
    ("maximum", Kind::Bound),
    ("exclusiveMinimum", Kind::Bound),
    ("exclusiveMaximum", Kind::Bound),
    ("multipleOf", Kind::Bound),
    ("minLength", Kind::Count),
    ("maxLength", Kind::Count),
    ("minItems", Kind::Count),
    ("maxItems", Kind::Count),
    ("minProperties", Kind::Count),
    ("maxProperties", Kind::Count),
    ("required", Kind::Required),
    ("pattern", Kind::Pattern),
    ("format", Kind::Format),
    ("const", Kind::Constant),
    ("enum", Kind::Constant),
    ("additionalProperties", Kind::Schema),
    ("items", Kind::Items),
    ("prefixItems", Kind::Items),
    ("additionalItems", Kind::Items),
    ("properties", Kind::SchemaMap),
    ("patternProperties", Kind::SchemaMap),
    ("allOf", Kind::SchemaList),
    ("anyOf", Kind::SchemaList),
    ("oneOf", Kind::SchemaList),
    ("$ref", Kind::Ref),
    ("not", Kind::Unsupported),
    ("if", Kind::Unsupported),
    ("then", Kind::Unsupported),
    ("else", Kind::Unsupported),
    ("contains", Kind::Unsupported),
    ("minContains", Kind::Unsupported),
    ("maxContains", Kind::Unsupported),
    ("uniqueItems", Kind::Unsupported),
    ("propertyNames", Kind::Unsupported),
    ("dependencies", Kind::Unsupported),
    ("dependentRequired", Kind::Unsupported),
    ("dependentSchemas", Kind::Unsupported),
    ("unevaluatedProperties", Kind::Unsupported),
    ("unevaluatedItems", Kind::Unsupported),
    ("$dynamicRef", Kind::Unsupported),
    ("$recursiveRef", Kind::Unsupported),
    ("$id", Kind::Unsupported),
    ("id", Kind::Unsupported),
    // Draft 3.
    ("extends", Kind::Unsupported),
    ("disallow", Kind::Unsupported),
    ("divisibleBy", Kind::Unsupported),
];

/// The kind of a keyword; what is not in the list is an annotation.
pub(super) fn kind_of(keyword: &str) -> Kind {
    KEYWORDS.iter().find(|(k, _)| *k == keyword).map_or(Kind::Annotation, |(_, kind)| *kind)
}
