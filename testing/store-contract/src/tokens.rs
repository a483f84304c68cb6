//! Tokens are stored as hashes, with their scopes and lifetime.

use std::time::{Duration, SystemTime};

use store::{AccessToken, Grant, Scopes, Store, TokenHash, TokenId};

use crate::Database;

const HOUR: Duration = Duration::from_secs(3600);

fn hash(number: u8) -> TokenHash {
    AccessToken::new([number; 32]).hash()
}

async fn create(store: &dyn Store, number: u8, name: &str, scopes: &str) -> Grant {
    let scopes: Scopes = scopes.parse().unwrap();
    let created = store.create_token(hash(number), name, &scopes, HOUR).await;
    created.unwrap()
}

async fn all(store: &dyn Store) -> Vec<Grant> {
    let tokens = store.tokens().await.unwrap();
    assert!(tokens.unreadable.is_none(), "{}", tokens.unreadable);
    tokens.rows
}

pub(crate) async fn a_token_is_known_by_its_hash(database: &dyn Database) {
    let store = database.open().await;
    assert_eq!(all(&*store).await, []);
    let before = SystemTime::now();
    let one = create(&*store, 1, "ann", "read submit").await;
    // Several may have one name, and a name is any text.
    let other = create(&*store, 2, "ann", "agent").await;
    let third = create(&*store, 3, "'; DROP TABLE token; --\u{e4}", "admin").await;
    let age = before.duration_since(one.created).unwrap_or_default();
    assert!(age < Duration::from_secs(60), "{age:?}");
    assert_eq!(one.expires, one.created + HOUR);
    assert_eq!((one.name.as_str(), one.hash), ("ann", hash(1)));
    assert_eq!(one.scopes.to_string(), "read submit");
    assert_eq!(one.revoked, None);
    assert!(one.id < other.id && other.id < third.id);
    // In another process.
    let again = database.open().await;
    assert_eq!(all(&*again).await, [one, other, third]);
}

pub(crate) async fn a_token_is_taken_back_once(database: &dyn Database) {
    let store = database.open().await;
    let one = create(&*store, 1, "ann", "read").await;
    let other = create(&*store, 2, "bob", "read").await;
    assert!(store.revoke_token(one.id).await.unwrap());
    let known = all(&*database.open().await).await;
    let revoked = known[0].revoked;
    assert!(revoked.is_some_and(|revoked| revoked >= one.created));
    assert_eq!(
        known,
        [
            Grant {
                revoked,
                ..one.clone()
            },
            other
        ]
    );
    // The time of revocation stays.
    assert!(!store.revoke_token(one.id).await.unwrap());
    assert_eq!(all(&*store).await, known);
    assert!(!store.revoke_token(TokenId(99)).await.unwrap());
}

pub(crate) async fn a_token_lives_for_a_hundred_years_at_most(database: &dyn Database) {
    let store = database.open().await;
    let scopes: Scopes = "read".parse().unwrap();
    let years = |grant: &Grant| {
        let life = grant.expires.duration_since(grant.created).unwrap();
        life.as_secs() / (8766 * 3600)
    };
    for (number, lifetime, expected) in [
        (1, Duration::ZERO, 0),
        (2, HOUR * 8766 * 7, 7),
        (3, Duration::MAX, 100),
    ] {
        let grant = store.create_token(hash(number), "ann", &scopes, lifetime);
        assert_eq!(years(&grant.await.unwrap()), expected, "{lifetime:?}");
    }
}

/// Checks that a hash is unique: two holders of one token, as from a bad random generator, could
/// not be distinguished.
pub(crate) async fn a_hash_is_kept_once(database: &dyn Database) {
    let store = database.open().await;
    let one = create(&*store, 1, "ann", "read").await;
    let scopes: Scopes = "admin".parse().unwrap();
    let twice = store.create_token(hash(1), "bob", &scopes, HOUR).await;
    assert!(twice.is_err());
    assert_eq!(all(&*store).await, [one]);
}

pub(crate) async fn a_scope_of_a_newer_wavetune_lets_nobody_in(database: &dyn Database) {
    let store = database.open().await;
    create(&*store, 1, "ann", "read").await;
    let other = create(&*store, 2, "bob", "read").await;
    let spoilt = "UPDATE token SET scopes = 'read everything' WHERE name = 'ann'";
    database.spoil(spoilt).await;
    let tokens = store.tokens().await.unwrap();
    assert_eq!(tokens.rows, [other]);
    assert_eq!(tokens.unreadable.rows, 1);
}
