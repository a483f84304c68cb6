//! Scopes: the requests that a token permits.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A scope of a token. No scope includes another: a client that does several things needs
/// several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenScope {
    /// Read answers, and the progress of studies.
    Read,
    /// Submit, pause, resume and cancel studies.
    Submit,
    /// Lease batches for devices, and report the results.
    Agent,
    /// Delete data that others may need.
    Admin,
}

impl TokenScope {
    /// Every scope.
    pub const ALL: [TokenScope; 4] = [Self::Read, Self::Submit, Self::Agent, Self::Admin];

    /// Returns the name on the command line, over HTTP and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Submit => "submit",
            Self::Agent => "agent",
            Self::Admin => "admin",
        }
    }
}

/// The scopes of a token. Prints as their names with spaces between them, as OAuth writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scopes(BTreeSet<TokenScope>);

impl Scopes {
    /// Returns whether this scope is among them.
    pub fn has(&self, scope: TokenScope) -> bool {
        self.0.contains(&scope)
    }

    /// Iterates over the scopes.
    pub fn iter(&self) -> impl Iterator<Item = TokenScope> {
        self.0.iter().copied()
    }
}

impl FromIterator<TokenScope> for Scopes {
    fn from_iter<I: IntoIterator<Item = TokenScope>>(scopes: I) -> Self {
        Scopes(scopes.into_iter().collect())
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(TokenScope::name).collect();
        f.write_str(&names.join(" "))
    }
}

/// An error for an unknown name of a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope {0:?}; one of read, submit, agent, admin")]
pub struct UnknownScope(pub String);

impl FromStr for Scopes {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let named = |name: &str| {
            let found = TokenScope::ALL
                .into_iter()
                .find(|scope| scope.name() == name);
            // The error quotes at most 80 characters, because a client sends this text.
            found.ok_or_else(|| UnknownScope(name.chars().take(80).collect()))
        };
        text.split_whitespace().map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[TokenScope]) {
        let scopes: Scopes = text.parse().unwrap();
        assert_eq!(scopes.iter().collect::<Vec<_>>(), expected);
        for scope in TokenScope::ALL {
            assert_eq!(scopes.has(scope), expected.contains(&scope), "{scope:?}");
        }
        assert_eq!(scopes.to_string().parse(), Ok(scopes));
    }

    #[test]
    fn scopes_are_words() {
        check("", &[]);
        check("read", &[TokenScope::Read]);
        check("admin read", &[TokenScope::Read, TokenScope::Admin]);
        check("read submit agent admin", &TokenScope::ALL);
        let unknown = "read root".parse::<Scopes>();
        assert_eq!(unknown, Err(UnknownScope("root".to_owned())));
    }
}
