//! A kernel's text in Metal's language as C for the shim. The text is what the Slang compiler writes (tools/vulkan-kernels.sh), so lines
//! have a few known forms; any other that C does not know is an error of the compiler with its line.

use std::collections::BTreeSet;
use std::fmt::Write;

/// The text in C, with `call`, which runs one thread; and the types that stand before it. Lines stay where they are. The
/// function constants are part of it, so that the compiler may use them, as Metal's does.
pub(super) fn translate(text: &str, constants: &[u32]) -> Result<(String, String), String> {
    let mut out = String::with_capacity(text.len() * 2);
    let (mut names, mut shared, mut vectors) = (Vec::new(), Vec::new(), BTreeSet::new());
    let (mut in_struct, mut entry) = (false, None);
    for line in text.lines() {
        if line.starts_with('#') || line.starts_with("using namespace") {
            out.push('\n');
            continue;
        }
        if let Some((name, index)) = function_constant(line) {
            let value = constants.get(index).ok_or_else(|| format!("no value for constant {index}"))?;
            let _ = writeln!(out, "#define {name} ({value}U)");
            names.push(name.to_owned());
            continue;
        }
        if names.iter().any(|n| line.starts_with(&format!("constant uint {n} = "))) {
            out.push('\n');
            continue;
        }
        if let Some(name) = line.strip_prefix("struct ") {
            in_struct = true;
            let _ = writeln!(out, "typedef struct {name} {name}; struct {name}");
            continue;
        }
        in_struct &= !line.starts_with("};");
        if line.starts_with("[[kernel]]") {
            entry = Some(arguments(line)?);
        }
        let mut line = arrays(line, in_struct, &mut vectors)?;
        if let Some((declared, name)) = threadgroup_variable(&line) {
            line = declared;
            shared.push(name);
        }
        for name in &shared {
            line = line.replace(&format!("= &{name};"), &format!("= {name};"));
        }
        for (metal, c) in [
            ("mem_flags::", ""),
            ("as_type<uint>", "as_type_uint"),
            ("as_type<float>", "as_type_float"),
            ("as_type<int>", "as_type_int"),
        ] {
            line = line.replace(metal, c);
        }
        out += &line.replace("as_type<half>", "as_type_half");
        out.push('\n');
    }
    let entry = entry.ok_or("no kernel")?;
    let _ =
        writeln!(out, "static void call(const void *args, const uint *group, uint position) {{ {entry} }}");
    Ok((vectors.into_iter().collect(), out))
}

/// Of `constant uint fc_NAME [[function_constant(N)]];`: the name and the number.
fn function_constant(line: &str) -> Option<(&str, usize)> {
    let (name, rest) = line.strip_prefix("constant uint fc_")?.split_once(" [[function_constant(")?;
    Some((name, rest.strip_suffix(")]];")?.parse().ok()?))
}

/// The call of the kernel, by its arguments' attributes.
fn arguments(line: &str) -> Result<String, String> {
    let unknown = || format!("not a kernel's first line: {line}");
    let (head, rest) = line.split_once('(').ok_or_else(unknown)?;
    let name = head.rsplit(' ').next().ok_or_else(unknown)?;
    let mut values = Vec::new();
    for argument in rest.trim_end_matches(')').split(", ") {
        let attribute = argument.split_once("[[").map(|(_, a)| a.trim_end_matches(']'));
        values.push(match attribute {
            Some("thread_position_in_threadgroup") => "(uint3){position, 0, 0}",
            Some("threadgroup_position_in_grid") => "(uint3){group[0], group[1], group[2]}",
            Some(a) if a.starts_with("buffer(0") => "(Args_0 constant *)args",
            _ => return Err(format!("argument `{argument}` of a kernel")),
        });
    }
    Ok(format!("{name}({});", values.join(", ")))
}

/// `array<T, int(N)>`: of threads a vector, which can be copied; in structs and threadgroups, whose elements have addresses, an array.
fn arrays(line: &str, in_struct: bool, vectors: &mut BTreeSet<String>) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), line);
    while let Some((before, after)) = rest.split_once("array<") {
        let unknown = || format!("not an array: {line}");
        let (of, after) = after.split_once('>').ok_or_else(unknown)?;
        let (of, count) = of.split_once(", int(").ok_or_else(unknown)?;
        let count = count.strip_suffix(')').ok_or_else(unknown)?;
        let pointed = after.starts_with(" thread*") || after.starts_with(" threadgroup*");
        let threadgroup =
            after.starts_with(" threadgroup*") || before.trim_start().starts_with("threadgroup");
        out += before;
        if threadgroup || in_struct && !pointed {
            let _ = write!(out, "__typeof__({of}[{count}])");
        } else {
            let _ = write!(out, "vector_{of}_{count}");
            vectors.insert(format!(
                "typedef {of} vector_{of}_{count} __attribute__((ext_vector_type({count})));\n"
            ));
        }
        rest = after;
    }
    Ok(out + rest)
}

/// A variable of a threadgroup, as a pointer to its memory, with its name.
fn threadgroup_variable(line: &str) -> Option<(String, String)> {
    let (of, name) = line.trim_start().strip_prefix("threadgroup ")?.strip_suffix(';')?.rsplit_once(' ')?;
    let at = format!("    {of} threadgroup* {name} = ({of} threadgroup*)shared_memory(sizeof({of}));");
    Some((at, name.to_owned()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const TEXT: &str = "#include <metal_stdlib>\nusing namespace metal;\nconstant uint fc_C_K_0 [[function_constant(1)]];\nconstant \
                        uint C_K_0 = is_function_constant_defined(fc_C_K_0) ? fc_C_K_0 : 1U;\nstruct Args_0\n{\n    array<uint, \
                        int(6)> words_0;\n    array<float, int(64)> threadgroup* sums_0;\n};\n[[kernel]] void main_0(uint3 t_0 \
                        [[thread_position_in_threadgroup]], Args_0 constant* args_1 [[buffer(0)]])\n{\n    threadgroup \
                        array<float, int(64)> sums_1;\n    c_0.sums_0 = &sums_1;\n    array<uint, int(8)> q_0 = q_1;\n}\n";

    #[test]
    fn known_forms_become_c() {
        let (types, c) = translate(TEXT, &[7, 9]).unwrap();
        for wanted in [
            "#define C_K_0 (9U)",
            "typedef struct Args_0 Args_0; struct Args_0",
            "__typeof__(uint[6]) words_0;",
            "__typeof__(float[64]) threadgroup* sums_0;",
            "threadgroup* sums_1 = ",
            "c_0.sums_0 = sums_1;",
            "vector_uint_8 q_0 = q_1;",
            "main_0((uint3){position, 0, 0}, (Args_0 constant *)args);",
        ] {
            assert!(c.contains(wanted), "{wanted} in\n{c}");
        }
        assert_eq!(types, "typedef uint vector_uint_8 __attribute__((ext_vector_type(8)));\n");
        // A message of the compiler names a line of the text.
        assert_eq!(
            c.lines().position(|l| l.contains("q_0 = q_1")),
            TEXT.lines().position(|l| l.contains("q_0 = q_1"))
        );
    }

    #[test]
    fn unknown_forms_are_named() {
        assert!(translate(TEXT, &[7]).unwrap_err().contains("constant 1"));
        let e = translate(&TEXT.replace("buffer(0)", "buffer(1)"), &[7, 9]).unwrap_err();
        assert!(e.contains("buffer(1)"), "{e}");
        assert!(translate("", &[]).unwrap_err().contains("no kernel"));
    }
}
