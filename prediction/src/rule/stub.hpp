// The declarations of LLVM, MLIR and IREE that a printed rule uses, for a check of its syntax.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

template <typename T> struct ArrayRef {
  ArrayRef(std::initializer_list<T>) {}
  ArrayRef(const std::vector<T> &) {}
  template <unsigned long N> ArrayRef(const T (&)[N]) {}
  ArrayRef drop_back() const { return *this; }
  const T *begin() const { return nullptr; }
  const T *end() const { return nullptr; }
};
template <typename T> struct SmallVector : std::vector<T> {
  using std::vector<T>::vector;
};

struct LogicalResult {};
LogicalResult failure();
struct Context;
struct Attribute {};
struct ArrayAttr : Attribute {};
struct DictionaryAttr : Attribute {};
struct NamedAttribute {};
struct Builder {
  explicit Builder(Context *);
  ArrayAttr getArrayAttr(ArrayRef<Attribute>);
  ArrayAttr getI64ArrayAttr(ArrayRef<int64_t>);
  NamedAttribute getNamedAttr(const char *, Attribute);
  DictionaryAttr getDictionaryAttr(ArrayRef<NamedAttribute>);
};
struct Type {
  unsigned getIntOrFloatBitWidth() const;
};
struct Value {};
struct OpOperand {
  Value get() const;
};
struct ShapedType {
  static bool isDynamicShape(ArrayRef<int64_t>);
};
Type getElementTypeOrSelf(Value);

namespace llvm {
template <typename T> std::vector<T> seq(T, T);
template <typename T> SmallVector<T> to_vector(std::vector<T>);
} // namespace llvm
namespace mlir {
struct FunctionOpInterface {};
} // namespace mlir
namespace linalg {
struct LinalgOp {
  void getReductionDims(SmallVector<unsigned> &);
  SmallVector<int64_t> getStaticLoopRanges();
  OpOperand *getDpsInputOperand(int64_t);
  Context *getContext();
};
} // namespace linalg
namespace IREE {
namespace GPU {
struct TargetAttr {};
struct LoweringConfigAttr {
  static LoweringConfigAttr get(Context *, DictionaryAttr);
};
} // namespace GPU
namespace Codegen {
enum class DispatchLoweringPassPipeline { LLVMGPUVectorDistribute };
} // namespace Codegen
} // namespace IREE
LogicalResult setOpConfigAndEntryPointFnTranslation(
    mlir::FunctionOpInterface, linalg::LinalgOp, IREE::GPU::LoweringConfigAttr,
    IREE::Codegen::DispatchLoweringPassPipeline, ArrayRef<int64_t>, int64_t);
