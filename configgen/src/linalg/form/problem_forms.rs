//! Forms of a single operation, built from a problem: plain reductions and `linalg.softmax`.

use super::super::header::LinalgName;
use super::super::product;
use super::scalar::ScalarBody;
use super::{FormOperation, FormOperationKind, FormOutput, OperationForm, TensorSource, Type};
use crate::comparator::ScalarType;
use crate::reduction::{Extent, Fold, RowOperation};
use crate::{Function, IndexMap, Problem};

impl OperationForm {
    /// Returns the problem as a single linalg operation, in each form that it has.
    pub(in crate::linalg) fn singles(problem: &Problem) -> Vec<OperationForm> {
        if let Some(fold) = problem.reduction.pairwise() {
            return plain(problem, fold);
        }
        let is_softmax = problem.reduction.row_operation() == Some(RowOperation::Softmax);
        match (is_softmax, &problem.shape.reduced().collect::<Vec<_>>()[..]) {
            (true, &[dimension]) => vec![softmax(problem, dimension)],
            _ => Vec::new(),
        }
    }
}

fn softmax(problem: &Problem, dimension: usize) -> OperationForm {
    let all = Extent::Elements.map(&problem.shape);
    let kind = Type::of(problem, &all, problem.element.into());
    let operands = [0, 1].map(|number| (TensorSource::Argument(number), kind.clone()));
    OperationForm {
        name: "softmax",
        arguments: vec![kind.clone(), kind.clone()],
        inputs: vec![0],
        parts: vec![FormOperation {
            what: FormOperationKind::Softmax(dimension),
            operands: operands.into(),
            results: vec![kind.clone()],
        }],
        outputs: vec![FormOutput {
            kind,
            result: Some(0),
            producer: None,
        }],
        others: Vec::new(),
    }
}

fn plain(problem: &Problem, fold: &Fold) -> Vec<OperationForm> {
    let shape = &problem.shape;
    let rank = shape.rank();
    let operands = problem
        .function
        .as_ref()
        .map_or(&[][..], Function::operands);
    let all = Extent::Elements.map(shape);
    let accumulator: ScalarType = fold.accumulator().into();
    let maps = operands
        .iter()
        .map(|it| (it.map.clone(), it.element.into()));
    let maps: Vec<(IndexMap, ScalarType)> = [(all, problem.element.into())]
        .into_iter()
        .chain(maps)
        .collect();
    let rows = Extent::Rows.map(shape);
    let output = Type::of(problem, &rows, accumulator);
    let mut arguments: Vec<Type> = maps
        .iter()
        .map(|(map, it)| Type::of(problem, map, *it))
        .collect();
    let inputs = arguments.len();
    arguments.push(output.clone());
    let fill = FormOperation {
        what: FormOperationKind::Fill(fold.initial(), accumulator),
        operands: vec![(TensorSource::Argument(inputs), output.clone())],
        results: vec![output.clone()],
    };
    let reads =
        // The combination reads the fill's result, not the argument.
        (0..inputs).map(|number| (TensorSource::Argument(number), arguments[number].clone()));
    let operands: Vec<(TensorSource, Type)> = reads
        .chain([(TensorSource::Result(0, 0), output.clone())])
        .collect();
    let form = |name: &'static str,
                what: FormOperationKind,
                operands: Vec<(TensorSource, Type)>| OperationForm {
        name,
        arguments: arguments.clone(),
        inputs: (0..inputs).collect(),
        parts: vec![
            fill.clone(),
            FormOperation {
                what,
                operands,
                results: vec![output.clone()],
            },
        ],
        outputs: vec![FormOutput {
            kind: output.clone(),
            result: Some(0),
            producer: None,
        }],
        others: Vec::new(),
    };
    let mut forms = Vec::new();
    // Frontends differ in the order of the combination's operands, and matchers compare it.
    for is_first in [false, true] {
        let Some(body) = ScalarBody::fold(fold, problem.function.as_ref(), is_first) else {
            continue;
        };
        let of = |map: &IndexMap| map.dimensions().map(Some).collect();
        let accesses = maps.iter().map(|(map, _)| of(map)).chain([of(&rows)]);
        let generic = |name: LinalgName| FormOperationKind::Generic {
            name,
            inputs,
            accesses: accesses.clone().collect(),
            reduced: (0..rank).map(|d| shape.is_reduced(d)).collect(),
            body: body.clone(),
        };
        forms.push(form(
            "generic",
            generic(LinalgName::Generic),
            operands.clone(),
        ));
        // `linalg.reduce` has no maps, so it takes one input.
        if inputs == 1 {
            forms.push(form(
                "reduce",
                generic(LinalgName::Reduce),
                operands.clone(),
            ));
        }
    }
    // Only `dot` has named operations of linalg.
    if problem.name() == "dot" && inputs == 2 {
        let of: Vec<Vec<usize>> = maps
            .iter()
            .map(|(map, _)| map.dimensions().collect())
            .collect();
        let reduced: Vec<bool> = (0..rank).map(|d| shape.is_reduced(d)).collect();
        for (written, is_swapped) in product::named([&of[0], &of[1]], &reduced) {
            let mut operands = operands.clone();
            if is_swapped {
                operands.swap(0, 1);
            }
            forms.push(form(
                "product",
                FormOperationKind::Product(written),
                operands,
            ));
        }
        let is_known = problem.shape.counts().is_none();
        // The row is inserted as a static size, so the other sizes must be static too.
        if let Some((row, written)) = product::of_one_row(&of[1], &reduced)
            && is_known
        {
            let one = form("product", FormOperationKind::Product(written), operands);
            forms.push(one.of_one_row(row));
        }
    }
    forms
}

impl OperationForm {
    /// Returns a matrix by a vector as a product of matrices, with the vector as a single row
    /// first.
    ///
    /// `row` is the dimension of that row.
    fn of_one_row(mut self, row: usize) -> OperationForm {
        let kinds = self.arguments.iter_mut().skip(1);
        let outputs = self.outputs.iter_mut().map(|it| &mut it.kind);
        let parts = self.parts.iter_mut();
        // The first argument is the matrix, and only it keeps its shape.
        let parts = parts.flat_map(|it| {
            let operands = it.operands.iter_mut();
            let others = operands.filter(|it| it.0 != TensorSource::Argument(0));
            others.map(|it| &mut it.1).chain(&mut it.results)
        });
        for kind in kinds.chain(outputs).chain(parts) {
            kind.sizes.insert(row, Some(1));
        }
        // `linalg.matmul` has the row vector as its left operand.
        if let Some(product) = self.parts.last_mut() {
            product.operands.swap(0, 1);
        }
        self
    }
}
