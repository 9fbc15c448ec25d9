use std::time::Duration;

use super::{BoundError, Bounds, Limit};

/// The ceiling is taken, one more is not, zero is not; the setter sets its own bound and no other.
#[track_caller]
fn check<T: Copy + PartialEq + std::fmt::Debug>(
    limit: Limit<T>,
    one_more: T,
    zero: T,
    get: fn(&Bounds) -> T,
    set: fn(Bounds, T) -> Result<Bounds, BoundError>,
) {
    let default = Bounds::default();
    assert_eq!(get(&default), limit.default, "{}", limit.name);
    let at_ceiling = set(default, limit.ceiling).unwrap();
    assert_eq!(get(&at_ceiling), limit.ceiling, "{}", limit.name);
    assert_eq!(set(at_ceiling, limit.default).unwrap(), default, "{} set another bound", limit.name);
    assert!(matches!(set(default, one_more), Err(BoundError::Ceiling { name, .. }) if name == limit.name));
    assert_eq!(set(default, zero), Err(BoundError::Zero { name: limit.name }));
}

#[track_caller]
fn check_length(
    limit: Limit<Duration>,
    get: fn(&Bounds) -> Duration,
    set: fn(Bounds, Duration) -> Result<Bounds, BoundError>,
) {
    check(limit, limit.ceiling + Duration::from_nanos(1), Duration::ZERO, get, set);
}

#[track_caller]
fn check_count(
    limit: Limit<usize>,
    get: fn(&Bounds) -> usize,
    set: fn(Bounds, usize) -> Result<Bounds, BoundError>,
) {
    check(limit, limit.ceiling + 1, 0, get, set);
}

#[test]
fn r32_each_bound_has_a_default_and_a_ceiling_that_cannot_be_passed() {
    check_length(Bounds::CONNECT, Bounds::connect, Bounds::with_connect);
    check_length(Bounds::HEAD, Bounds::head, Bounds::with_head);
    check_length(Bounds::BETWEEN_BYTES, Bounds::between_bytes, Bounds::with_between_bytes);
    check_length(Bounds::WHOLE, Bounds::whole, Bounds::with_whole);
    check_count(Bounds::HEAD_BYTES, Bounds::head_bytes, Bounds::with_head_bytes);
    check_count(Bounds::HEADER_COUNT, Bounds::header_count, Bounds::with_header_count);
    check_count(Bounds::INTERIM_RESPONSES, Bounds::interim_responses, Bounds::with_interim_responses);
    check_count(Bounds::RECEIVED_BYTES, Bounds::received_bytes, Bounds::with_received_bytes);
    check_count(Bounds::DECODED_BYTES, Bounds::decoded_bytes, Bounds::with_decoded_bytes);
    check_count(Bounds::FRAMES, Bounds::frames, Bounds::with_frames);
}

#[test]
fn r32_the_parts_of_a_request_fit_into_the_whole() {
    assert!(Bounds::CONNECT.default + Bounds::HEAD.default <= Bounds::WHOLE.default);
    assert!(Bounds::CONNECT.ceiling + Bounds::HEAD.ceiling <= Bounds::WHOLE.ceiling);
    const { assert!(Bounds::RECEIVED_BYTES.default <= Bounds::DECODED_BYTES.default) };
}

#[test]
fn an_error_names_the_bound_and_its_ceiling() {
    let error = Bounds::default().with_decoded_bytes(usize::MAX).unwrap_err();
    assert!(error.to_string().starts_with("`decoded_bytes` may be at most 67108864"), "{error}");
    let error = Bounds::default().with_connect(Duration::ZERO).unwrap_err();
    assert_eq!(error.to_string(), "`connect` must be more than zero");
}
