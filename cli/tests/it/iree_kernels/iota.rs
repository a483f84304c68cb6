//! The form of a reduction of StableHLO with values and indices: a `linalg.generic` with an iota
//! beside the elements.

use crate::iree_kernels::arrived::Operation;

impl Operation {
    pub(super) fn iota(
        &self,
        sizes: &[usize],
        at: usize,
        input: &str,
        iota: &str,
        values: &str,
        indices: &str,
    ) -> String {
        let (e, i, rank) = (self.element.name(), self.index, sizes.len());
        let each = Self::map(rank, &(0..rank).collect::<Vec<_>>());
        let mut to: Vec<usize> = (0..rank - 1).collect();
        to.insert(at, rank - 1);
        let (all, rows) = (
            Self::map(rank, &to),
            Self::map(rank, &(0..rank - 1).collect::<Vec<_>>()),
        );
        let parallel = vec!["\"parallel\""; rank].join(", ");
        let mut kinds = vec!["\"parallel\""; rank - 1];
        kinds.push("\"reduction\"");
        let kinds = kinds.join(", ");
        let (float, integer, extreme) = match self.greatest_wins {
            true => ("ogt", "sgt", "maxsi"),
            false => ("olt", "slt", "minsi"),
        };
        let steps = match self.element.is_float() {
            true => format!(
                "    %more = arith.cmpf {float}, %held, %new : {e}
    %nan = arith.cmpf une, %held, %held : {e}
    %stays = arith.ori %more, %nan : i1
    %same = arith.cmpf oeq, %held, %new : {e}
    %lower = arith.cmpi slt, %place, %index : {i}
    %first = arith.andi %same, %lower : i1
    %both = arith.ori %stays, %first : i1
    %value = arith.select %stays, %held, %new : {e}
"
            ),
            false => format!(
                "    %stays = arith.cmpi {integer}, %held, %new : {e}
    %same = arith.cmpi eq, %held, %new : {e}
    %lower = arith.cmpi slt, %place, %index : {i}
    %first = arith.andi %same, %lower : i1
    %both = arith.ori %stays, %first : i1
    %value = arith.{extreme} %held, %new : {e}
"
            ),
        };
        format!(
            "  %ie = tensor.empty() : {iota}
  %iota = linalg.generic {{indexing_maps = [{each}], iterator_types = [{parallel}]}} outs(%ie : {iota}) {{
  ^bb0(%old: {i}):
    %at = linalg.index {at} : index
    %cast = arith.index_cast %at : index to {i}
    linalg.yield %cast : {i}
  }} -> {iota}
  %r:2 = linalg.generic {{indexing_maps = [{all}, {all}, {rows}, {rows}], iterator_types = [{kinds}]}} ins(%x, %iota : {input}, {iota}) outs(%v, %p : {values}, {indices}) {{
  ^bb0(%new: {e}, %index: {i}, %held: {e}, %place: {i}):
{steps}    %found = arith.select %both, %place, %index : {i}
    linalg.yield %value, %found : {e}, {i}
  }} -> ({values}, {indices})
"
        )
    }
}
