//! Trees of tests, whose ends add up.

/// Trees as `tests/extract/headings.py` writes them: the names of features in the first line, then a tree in each. A test is
/// `feature:most`, followed by the tree for values up to it and the tree for others. An end is `=value`.
#[derive(Debug, Default)]
pub(super) struct Forest(Vec<Vec<Node>>);

#[derive(Debug)]
enum Node {
    /// The next node is for values up to `most`, the one at `otherwise` for others.
    Test {
        feature: usize,
        most: f32,
        otherwise: usize,
    },
    End(f32),
}

impl Forest {
    /// `None` if it is no forest, or asks for other features than these.
    pub(super) fn parse(text: &str, features: &[&str]) -> Option<Self> {
        let mut lines = text.lines();
        let names: Vec<usize> = lines
            .next()?
            .split(' ')
            .map(|name| features.iter().position(|feature| *feature == name))
            .collect::<Option<_>>()?;
        lines.map(|line| tree(line, &names)).collect::<Option<_>>().map(Self)
    }

    /// The sums of the ends: of the first tree and each `classes`-th after it, and so on.
    pub(super) fn sums<const CLASSES: usize>(&self, values: &[f32]) -> [f32; CLASSES] {
        let mut sums = [0.0; CLASSES];
        for trees in self.0.chunks(CLASSES) {
            for (sum, tree) in sums.iter_mut().zip(trees) {
                *sum += end(tree, values);
            }
        }
        sums
    }
}

fn tree(line: &str, names: &[usize]) -> Option<Vec<Node>> {
    let mut nodes = Vec::new();
    // Tests whose second tree has not begun.
    let mut open: Vec<usize> = Vec::new();
    for word in line.split(' ') {
        if let Some(value) = word.strip_prefix('=') {
            nodes.push(Node::End(value.parse().ok()?));
            let next = nodes.len();
            if let Some(Node::Test { otherwise, .. }) = open.pop().and_then(|at| nodes.get_mut(at)) {
                *otherwise = next;
            }
            continue;
        }
        let (feature, most) = word.split_once(':')?;
        let feature = *names.get(feature.parse::<usize>().ok()?)?;
        open.push(nodes.len());
        nodes.push(Node::Test { feature, most: most.parse().ok()?, otherwise: 0 });
    }
    // Each test parts into two.
    let ends = nodes.iter().filter(|node| matches!(node, Node::End(_))).count();
    (ends * 2 == nodes.len() + 1 && open.is_empty()).then_some(nodes)
}

fn end(tree: &[Node], values: &[f32]) -> f32 {
    let mut at = 0;
    loop {
        match tree.get(at) {
            Some(Node::Test { feature, most, otherwise }) => {
                let is_small = values.get(*feature).is_some_and(|value| value <= most);
                // The way only leads forward.
                at = if is_small { at + 1 } else { (*otherwise).max(at + 1) };
            }
            Some(Node::End(value)) => return *value,
            None => return 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lead_to_ends() {
        let forest = Forest::parse("b a\n0:1.5 =1 1:2 =10 =100\n=0.5", &["a", "b"]).unwrap();
        let sum = |a, b| forest.sums::<1>(&[a, b])[0];
        assert_eq!([sum(9.0, 1.5), sum(2.0, 2.0), sum(2.5, 2.0)], [1.5, 10.5, 100.5]);
        assert_eq!(forest.sums::<2>(&[0.0, 0.0]), [1.0, 0.5]);
    }

    #[test]
    fn what_is_no_forest_is_none() {
        for text in ["", "c\n=1", "a\n0:1 =1", "a\n7:1 =1 =2", "a\n0:x =1 =2", "a\nz"] {
            assert!(Forest::parse(text, &["a", "b"]).is_none(), "{text}");
        }
    }
}
