//! The filters, one after the other, over one head's logits. `draw.cu` does the same.

use super::mass::{log_total, mass, part};
use crate::pick::Pick;
use crate::sample::hash;
use crate::sampler::{Filter, Sampler};
use crate::step::{Position, Token};
use std::f32::consts::LN_2;

/// Entries of the list that is sorted.
const LIST: usize = 1024;
/// Bins, and how many of them a distance of 1 takes.
const BINS: usize = 2048;
const PER_UNIT: f32 = 64.0;
/// Tokens of a block, of whose best ones some bound the k-th logit from below.
const BLOCK: usize = 64;
/// The least key of a token that is not masked.
pub(crate) const LOWEST: u64 = 0x0080_0000 << 32;
/// The word that XTC's noise is of, which is no token.
const XTC: Token = Token(u32::MAX);

/// Draws from one head's logits. `best` is the best of them; `pos` is the drawn token's position.
pub fn draw(x: &[f32], best: Pick, sampler: &Sampler, temperature: f32, seed: u64, pos: Position) -> Pick {
    draw_from(x, best, sampler, temperature, seed, pos, &mut 0.0)
}

/// The same with mirostat's bound, in bits, which becomes that of the next token.
pub fn draw_from(
    x: &[f32],
    best: Pick,
    sampler: &Sampler,
    temperature: f32,
    seed: u64,
    pos: Position,
    bound: &mut f32,
) -> Pick {
    if !best.score.is_finite() {
        return best;
    }
    let mut kept = Kept::new(x, best);
    // Below the smallest normal number its reciprocal would be infinite; the draw is the greedy one long before.
    let greedy = temperature.is_nan() || temperature < f32::MIN_POSITIVE;
    for filter in (0..).map_while(|i| Filter::at(sampler.filters, i)) {
        match filter {
            Filter::TopNSigma => kept.top_n_sigma(sampler.top_n_sigma),
            Filter::TopK => kept.top_k(u64::from(sampler.top_k.max(1))),
            Filter::Typical => kept.typical(sampler.typical),
            Filter::TopP => kept.top_p(sampler.top_p),
            Filter::MinP => kept.above(sampler.min_p.min(0.0)),
            Filter::Xtc => {
                if (hash(seed, pos, XTC) >> 32) as u32 <= sampler.xtc_probability {
                    kept.exclude(sampler.xtc_threshold);
                }
            }
            Filter::Mirostat => kept.above((kept.log_total() - *bound * LN_2).min(0.0)),
            Filter::Temperature if greedy => break,
            Filter::Temperature => kept.inverse = 1.0 / temperature,
        }
    }
    let first = Pick { score: kept.top(), token: token(kept.hi) };
    if greedy {
        return first;
    }
    let mut pick = Pick::NONE;
    kept.each(|key, y| pick = pick.better_with_noise(y, seed, pos, token(key)));
    if let (true, Some(logit)) = (sampler.mirostat_tau > 0.0, x.get(pick.token.index())) {
        let surprise = (kept.log_total() - kept.below(*logit)) / LN_2;
        *bound -= sampler.mirostat_eta * (surprise - sampler.mirostat_tau);
    }
    pick
}

/// A token's place in the order: the greatest comes first.
pub(crate) fn key(logit: f32, id: Token) -> u64 {
    // Both zeros are one logit.
    let bits = (logit + 0.0).to_bits();
    let order = if bits & 0x8000_0000 == 0 { bits | 0x8000_0000 } else { !bits };
    u64::from(order) << 32 | u64::from(!id.0)
}

pub(crate) fn logit(key: u64) -> f32 {
    let order = (key >> 32) as u32;
    f32::from_bits(if order & 0x8000_0000 == 0 { !order } else { order & 0x7fff_ffff })
}

pub(crate) fn token(key: u64) -> Token {
    Token(!(key as u32))
}

/// The bin of a distance of at least 0.
fn bin(distance: f32) -> usize {
    (distance * PER_UNIT).min((BINS - 1) as f32) as usize
}

/// What the filters have kept.
struct Kept<'a> {
    x: &'a [f32],
    /// The first token's key, and a bound on the last one's.
    hi: u64,
    lo: u64,
    /// Of the temperature, once it has been applied.
    inverse: f32,
    /// All that is kept, in order, once it fits.
    list: [u64; LIST],
    listed: Option<usize>,
}

/// A bin, and the keys of a bin.
#[derive(Clone, Copy, Default)]
struct Sum {
    mass: u64,
    count: u64,
}

/// Where a sum is reached: the rank, and what was still to be reached with it.
struct Reached {
    rank: u64,
    rest: u64,
}

impl<'a> Kept<'a> {
    fn new(x: &'a [f32], best: Pick) -> Self {
        let hi = key(best.score, best.token);
        Self { x, hi, lo: LOWEST, inverse: 1.0, list: [0; LIST], listed: None }
    }

    /// The best logit.
    fn top(&self) -> f32 {
        logit(self.hi)
    }

    /// How far below the best one a logit is, in what temperature has made of them: 0 or less.
    fn below(&self, logit: f32) -> f32 {
        (logit - self.top()) * self.inverse
    }

    /// All that is kept: keys and distances.
    fn each(&self, mut f: impl FnMut(u64, f32)) {
        if let Some(n) = self.listed {
            self.list[..n].iter().for_each(|key| f(*key, self.below(logit(*key))));
            return;
        }
        for (i, l) in self.x.iter().enumerate() {
            let key = key(*l, Token(i as u32));
            // Neither NaN nor a masked logit lies between the two.
            if (self.lo..=self.hi).contains(&key) {
                f(key, self.below(*l));
            }
        }
    }

    /// Keeps what is between two keys, the first of which is a token's.
    fn keep(&mut self, hi: u64, lo: u64) {
        (self.hi, self.lo) = (hi, lo);
        match &mut self.listed {
            Some(n) => {
                let from = self.list[..*n].iter().position(|k| *k <= hi).unwrap_or(0);
                let to = self.list[..*n].iter().position(|k| *k < lo).unwrap_or(*n);
                self.list.copy_within(from..to, 0);
                *n = to - from;
            }
            None => self.gather(f32::NEG_INFINITY),
        }
    }

    /// Makes the list, of what is no further below than that, if it fits.
    fn gather(&mut self, floor: f32) {
        let mut n = 0;
        for (i, l) in self.x.iter().enumerate() {
            // Most fail here.
            let below = self.below(*l);
            if below.is_nan() || below < floor {
                continue;
            }
            let key = key(*l, Token(i as u32));
            if (self.lo..=self.hi).contains(&key) {
                if n == LIST {
                    return;
                }
                self.list[n] = key;
                n += 1;
            }
        }
        self.list[..n].sort_unstable_by_key(|k| !k);
        self.listed = Some(n);
    }

    fn total(&self) -> u64 {
        let mut total = 0;
        self.each(|_, y| total += mass(y));
        total
    }

    /// The logarithm of what all have together, where the best one has 1.
    fn log_total(&self) -> f32 {
        log_total(self.total())
    }

    fn top_k(&mut self, k: u64) {
        if self.listed.is_none() {
            self.gather_best(k);
        }
        if let Some(n) = self.listed {
            let n = n.min(usize::try_from(k).unwrap_or(n));
            self.listed = Some(n);
            self.lo = self.list[n - 1];
        } else if let Some(r) = self.reach(|key, y| Some((key, -y, 1)), |_| k) {
            self.keep(self.hi, r.rank);
        }
    }

    /// Makes a list that has the best k, where the best ones of k blocks of tokens bound them well.
    fn gather_best(&mut self, k: u64) {
        if self.lo != LOWEST {
            return;
        }
        let mut counts = [0u32; BINS];
        for block in self.x.chunks(BLOCK) {
            let mut best = [f32::NEG_INFINITY; 16];
            for (i, l) in block.iter().enumerate() {
                best[i % 16] = if *l > best[i % 16] { *l } else { best[i % 16] };
            }
            let best = best.into_iter().fold(f32::NEG_INFINITY, f32::max);
            if best > self.top() {
                // What XTC has dropped is no bound.
                return;
            }
            if best > f32::NEG_INFINITY {
                counts[bin(-self.below(best))] += 1;
            }
        }
        let mut sum = 0;
        for (i, count) in counts[..BINS - 1].iter().enumerate() {
            sum += u64::from(*count);
            if sum >= k {
                return self.gather(-((i + 1) as f32 / PER_UNIT));
            }
        }
    }

    fn top_p(&mut self, share: u32) {
        if let Some(r) = self.reach(|key, y| Some((key, -y, mass(y))), |total| part(total, share)) {
            self.keep(self.hi, r.rank);
        }
    }

    /// Keeps what is at most so far below the best one.
    fn above(&mut self, floor: f32) {
        let lo = self.first_not_below(floor);
        self.keep(self.hi, self.lo.max(lo));
    }

    /// The least key of a logit that is no further below.
    fn first_not_below(&self, floor: f32) -> u64 {
        // Distances never fall as logits grow.
        let (mut no, mut yes) = ((LOWEST >> 32) as u32 - 1, (self.hi >> 32) as u32);
        while yes - no > 1 {
            let mid = no + (yes - no) / 2;
            if self.below(logit(u64::from(mid) << 32)) >= floor { yes = mid } else { no = mid }
        }
        u64::from(yes) << 32
    }

    fn top_n_sigma(&mut self, sigmas: f32) {
        // Distances in 2^-14ths, at most 2^22 of them.
        let (mut n, mut sum, mut squares) = (0u64, 0u64, 0u64);
        self.each(|_, y| {
            let d = (-y * 16384.0).min(4_194_304.0) as u64;
            (n, sum, squares) = (n + 1, sum + d, squares + d * d);
        });
        let (n, mean) = (n as f64, sum as f64 / n as f64);
        let variance = (squares as f64 / n - mean * mean).max(0.0);
        self.above(-(sigmas * (variance.sqrt() / 16384.0) as f32));
    }

    /// Drops all that has a probability of e^threshold but the last of it.
    fn exclude(&mut self, threshold: f32) {
        let floor = threshold + self.log_total();
        if floor.is_nan() || floor > 0.0 {
            return;
        }
        let lo = self.first_not_below(floor);
        let (mut n, mut last) = (0, self.hi);
        self.each(|key, _| {
            if key >= lo {
                (n, last) = (n + 1, last.min(key));
            }
        });
        if n > 1 {
            self.keep(last, self.lo);
        }
    }

    fn typical(&mut self, share: u32) {
        // The expected distance: a sum of products, in two words.
        let (mut total, mut low, mut high) = (0u64, 0u64, 0u64);
        self.each(|_, y| {
            let m = mass(y);
            let product = m * (-y * 65536.0).min(2_097_152.0) as u64;
            (total, low, high) = (total + m, low + (product & 0xffff_ffff), high + (product >> 32));
        });
        let sum = high as f64 * 4_294_967_296.0 + low as f64;
        // The surprise of a token is that of the best one and its distance, so the two differ as distances do.
        let centre = -((sum / total as f64 / 65536.0) as f32);
        let distance = |y: f32| (y - centre).abs();
        let rank = |y: f32| u64::from(!distance(y).to_bits()) << 32;
        let Some(r) = self.reach(|_, y| Some((rank(y), distance(y), mass(y))), |total| part(total, share))
        else {
            return;
        };
        // Among equals those above the centre come first, nearest first; so what is kept has no gap.
        let at = |y: f32| rank(y) == r.rank;
        let mut above = 0;
        self.each(|_, y| above += if at(y) && y >= centre { mass(y) } else { 0 });
        let (mut most, mut least) = (u64::MAX, u64::MAX);
        if r.rest <= above {
            let of = |key: u64, y: f32| (at(y) && y >= centre).then(|| (!key, distance(y), mass(y)));
            most = self.reach(of, |_| r.rest).map_or(u64::MAX, |r| !r.rank);
        } else {
            let of = |key: u64, y: f32| (at(y) && y < centre).then(|| (key, distance(y), mass(y)));
            least = self.reach(of, |_| r.rest - above).map_or(0, |r| r.rank);
        }
        let (mut hi, mut lo) = (0, u64::MAX);
        self.each(|key, y| {
            if rank(y) > r.rank || at(y) && if y >= centre { key <= most } else { key >= least } {
                (hi, lo) = (hi.max(key), lo.min(key));
            }
        });
        self.keep(hi, lo);
    }

    /// Goes through what `of` gives for the kept tokens, (rank, distance, weight), from the greatest rank down, until the weights reach
    /// a target, which is made of their sum. Distances grow as ranks fall. `None` where all is not more than the target.
    fn reach(
        &self,
        of: impl Fn(u64, f32) -> Option<(u64, f32, u64)>,
        target: impl FnOnce(u64) -> u64,
    ) -> Option<Reached> {
        let mut bins = [Sum::default(); BINS];
        let mut total = 0;
        self.each(|key, y| {
            if let Some((_, distance, weight)) = of(key, y) {
                let bin = &mut bins[bin(distance)];
                (bin.mass, bin.count) = (bin.mass + weight, bin.count + 1);
                total += weight;
            }
        });
        let mut rest = target(total);
        if rest >= total {
            return None;
        }
        let (place, mut sum) = descend(bins.iter(), &mut rest);
        // Inside the bin, by digits of the rank, until few are left.
        let (mut prefix, mut shift) = (0u64, 64u32);
        let inside = |prefix: u64, shift: u32, (rank, distance, _): &(u64, f32, u64)| {
            bin(*distance) == place && rank.checked_shr(shift).unwrap_or(0) == prefix
        };
        while sum.count > LIST as u64 && shift > 0 {
            let mut digits = [Sum::default(); 256];
            self.each(|key, y| {
                if let Some(entry) = of(key, y).filter(|e| inside(prefix, shift, e)) {
                    let digit = &mut digits[(entry.0 >> (shift - 8)) as usize & 255];
                    (digit.mass, digit.count) = (digit.mass + entry.2, digit.count + 1);
                }
            });
            let (digit, of_digit) = descend(digits.iter().rev(), &mut rest);
            (prefix, shift, sum) = (prefix << 8 | (255 - digit as u64), shift - 8, of_digit);
        }
        if shift == 0 {
            return Some(Reached { rank: prefix, rest });
        }
        let (mut list, mut n) = ([(0u64, 0u64); LIST], 0);
        self.each(|key, y| {
            if let Some(entry) = of(key, y).filter(|e| inside(prefix, shift, e)) {
                list[n] = (entry.0, entry.2);
                n += 1;
            }
        });
        list[..n].sort_unstable_by_key(|(rank, _)| !rank);
        let (mut rank, mut before, mut sum) = (0, 0, 0);
        for (next, weight) in &list[..n] {
            if *next != rank {
                (rank, before) = (*next, sum);
            }
            sum += weight;
            if sum >= rest {
                break;
            }
        }
        Some(Reached { rank, rest: rest - before })
    }
}

/// The bin in which a sum is reached; less what is before it is left to be reached.
fn descend<'s>(bins: impl Iterator<Item = &'s Sum>, rest: &mut u64) -> (usize, Sum) {
    for (i, bin) in bins.enumerate() {
        if bin.mass >= *rest {
            return (i, *bin);
        }
        *rest -= bin.mass;
    }
    // The sum of all is more.
    (BINS - 1, Sum::default())
}
