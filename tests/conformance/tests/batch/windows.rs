//! Windowed layers with a pool of their own.

use super::*;

on_each_device!(
    windowed_layers_hold_their_windows,
    a_prefix_without_its_window_is_not_found,
    a_shift_of_windows_is_a_fresh_sequence,
);

/// What sequences draw does not depend on whether windowed layers have whole contexts or a pool; there, nobody holds more than its
/// window reaches, and what it writes.
fn windowed_layers_hold_their_windows(on: On) {
    let both = |d: Arc<dyn Device>| [(d.clone(), None), (d, Some(vec![false, true]))];
    for (device, layers) in all(on).into_iter().flat_map(both) {
        let level = device.info().name;
        let m = windowed(device, layers, 3000);
        let make = |sequences, blocks: u64| {
            let o = BatchOptions {
                sequences: Some(sequences),
                cache_tokens: Some(blocks * 256),
                deterministic: true,
                drafts: None,
            };
            let mut batch = m.batch(&o).unwrap();
            batch.poison(0xff);
            batch
        };
        // With so many places the pool would be the larger one.
        let mut whole = make(12, 12);
        assert!(whole.window_usage().is_none());
        let asked = [(900, 300), (1700, 10), (3, 600)].map(|(n, max)| (prompt(n, n as u32), options(max, 7)));
        let wanted = asked.clone().map(|(p, o)| {
            let mut guests = [Guest(whole.sequence(&p, &o).unwrap())];
            finish(&mut whole, &mut guests, 512, 64);
            guests[0].0.tokens().to_vec()
        });
        let mut batch = make(3, 36);
        // For each a block that its window begins in, one that it ends in, one for a chain and one more; and 512 rows.
        assert_eq!(batch.window_usage().unwrap().blocks, 3 * 4 + 2);
        let mut guests: Vec<Guest> =
            asked.iter().map(|(p, o)| Guest(batch.sequence(p, o).unwrap())).collect();
        finish(&mut batch, &mut guests, 300, 64);
        for (g, want) in guests.iter().zip(&wanted) {
            assert_eq!(g.0.tokens(), want, "{level}");
            // Positions from the first that its next row sees.
            let held = g.0.kv_len().div_ceil(256) - (g.0.kv_len() + 1).saturating_sub(WINDOW) / 256;
            assert!((held..=held + 1).contains(&g.0.window_blocks()), "{} of {held}", g.0.window_blocks());
        }
        // A prefix is there with its last window: all of the last prompt that ran, to the token.
        drop(guests);
        let (p, o) = &asked[0];
        let mut again = [Guest(batch.sequence(p, o).unwrap())];
        assert_eq!(again[0].0.reused(), 899, "{level}");
        assert!(again[0].0.window_blocks() <= 2);
        finish(&mut batch, &mut again, 512, 64);
        assert_eq!(again[0].0.tokens(), wanted[0], "{level}");
        drop(again);
        assert_eq!((batch.usage().held, batch.free_places()), (0, 3));
    }
}

/// Where prefixes fill the pool, the oldest loses its window; it is computed again then, and its blocks are shared again.
fn a_prefix_without_its_window_is_not_found(on: On) {
    let m = windowed(best(on), Some(vec![true, false]), CONTEXT);
    let mut batch = crowded(&m, 2, 60);
    let windows = batch.window_usage().unwrap();
    assert_eq!((windows.blocks, windows.held), (2 * 4 + 2, 0));
    let o = options(1, 0);
    let mut run = |seed| {
        let mut guests = [Guest(batch.sequence(&prompt(600, seed), &o).unwrap())];
        let reused = guests[0].0.reused();
        finish(&mut batch, &mut guests, 512, 1);
        let token = guests[0].0.drawn().to_vec();
        drop(guests);
        assert!(batch.window_usage().unwrap().held <= windows.blocks);
        (reused, token, batch.usage().kept)
    };
    // Three blocks each: the window's pool holds those of three prompts, the other of twenty.
    let first: Vec<_> = (0..6).map(&mut run).collect();
    assert!(first.iter().all(|f| f.0 == 0) && first[5].2 == 18);
    let last = run(5);
    assert_eq!((last.0, &last.1), (599, &first[5].1));
    let kept = last.2;
    let oldest = run(0);
    assert_eq!((oldest.0, &oldest.1), (0, &first[0].1), "its window is gone");
    let again = run(0);
    assert_eq!((again.0, &again.1), (599, &first[0].1), "it is there again");
    assert!(again.2 <= kept + 2, "what was there already is not there twice: {} after {kept}", again.2);
}

/// Where windowed layers have blocks of their own, what is left is computed anew.
fn a_shift_of_windows_is_a_fresh_sequence(on: On) {
    let m = windowed(best(on), Some(vec![true, false]), CONTEXT);
    let mut batch = crowded(&m, 2, 12);
    assert!(batch.window_usage().is_some());
    let mut guests = [Guest(batch.sequence(&prompt(600, 3), &options(300, 5)).unwrap())];
    finish(&mut batch, &mut guests, 512, 64);
    assert!(batch.shift(&mut guests[0].0, 300, 250).unwrap());
    let left = guests[0].0.tokens().to_vec();
    assert_eq!((left.len(), guests[0].0.kv_len()), (451, 300), "what stays is found");
    let mut fresh = crowded(&m, 2, 12);
    let mut want = [Guest(fresh.sequence(&left, &options(300 - 101, 5)).unwrap())];
    finish(&mut fresh, &mut want, 512, 64);
    finish(&mut batch, &mut guests, 512, 64);
    assert_eq!(guests[0].0.tokens(), want[0].0.tokens());
    assert_eq!(guests[0].0.drawn_len(), 300);
}
