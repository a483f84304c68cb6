//! The attribute `#[test]` of the executables that `testing::run` runs.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Registers a function with `testing::run` as a test. The function may be async, and it may be
/// ignored. With `#[test(threads)]` an async function has a runtime of two threads.
///
/// `#[macro_use] extern crate testing;` puts this attribute in the place of the compiler's. The
/// compiler removes its test functions from an executable without its own harness.
#[proc_macro_attribute]
pub fn test(runtime: TokenStream, function: TokenStream) -> TokenStream {
    let mut kept = Vec::new();
    let mut ignored = "None".to_owned();
    let mut is_async = false;
    let mut name = None;
    let mut tokens = function.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            // Only attributes before the name: the body may contain others.
            TokenTree::Punct(punct) if punct.as_char() == '#' && name.is_none() => {
                if let Some(TokenTree::Group(group)) = tokens.peek()
                    && let Some(reason) = reason(group)
                {
                    ignored = format!("Some({reason})");
                    tokens.next();
                    continue;
                }
            }
            TokenTree::Ident(word) if name.is_none() => match word.to_string().as_str() {
                "async" => is_async = true,
                "fn" => name = tokens.peek().map(ToString::to_string),
                _ => {}
            },
            _ => {}
        }
        kept.push(token);
    }
    let name = name.expect("a test is a function");
    let call = match (is_async, runtime.to_string().as_str()) {
        (true, "threads") => format!("::testing::block_on_threads({name}())"),
        (true, "") => format!("::testing::block_on({name}())"),
        (false, "") => format!("{name}()"),
        (_, other) => panic!("no test runs on {other}"),
    };
    let registration = format!(
        "::testing::inventory::submit! {{ ::testing::TestFunction {{ \
             path: ::core::concat!(::core::module_path!(), \"::\", ::core::stringify!({name})), \
             ignored: {ignored}, \
             test: || ::testing::TestOutcome::into_result({call}), \
         }} }}"
    );
    // Parsed from text, which needs neither syn nor quote.
    let registration: TokenStream = registration.parse().expect("Rust");
    kept.into_iter().chain(registration).collect()
}

/// Returns the literal in `[ignore = "…"]`.
fn reason(attribute: &Group) -> Option<String> {
    let tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
    let [TokenTree::Ident(word), _, TokenTree::Literal(reason)] = tokens.as_slice() else {
        return None;
    };
    let is_ignore = attribute.delimiter() == Delimiter::Bracket && word.to_string() == "ignore";
    is_ignore.then(|| reason.to_string())
}
