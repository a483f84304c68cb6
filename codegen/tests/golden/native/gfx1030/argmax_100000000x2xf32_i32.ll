target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmax_100000000x2xf32_45bdf3b6be2b4b3d(ptr addrspace(1) noalias readonly %input, ptr addrspace(1) noalias %values, ptr addrspace(1) noalias %indices) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v3 = zext i32 %v2 to i64
  %v4 = shl i64 %v3, 3
  %v5 = getelementptr i8, ptr addrspace(1) %input, i64 %v4
  %v6 = call i32 @llvm.umin.i32(i32 %v1, i32 1)
  %v7 = shl i32 %v6, 2
  %v8 = zext i32 %v7 to i64
  %v9 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v5)
  %v10 = getelementptr i8, ptr addrspace(1) %v9, i64 %v8
  %v11 = load float, ptr addrspace(1) %v10, align 4
  %v12 = sub i32 %v6, %v1
  %v13 = fcmp ogt float %v11, 0xFFF0000000000000
  %v14 = select i1 %v13, float %v11, float 0xFFF0000000000000
  %v15 = select i1 %v13, i32 %v12, i32 0
  %v16 = add i32 %v15, %v1
  %v17 = bitcast float %v14 to i32
  %v18 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v17, i32 353, i32 15, i32 15, i1 true)
  %v19 = bitcast i32 %v18 to float
  %v20 = call nnan float @llvm.maxnum.f32(float %v14, float %v19)
  %v21 = bitcast float %v20 to i32
  %v22 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v21, i32 354, i32 15, i32 15, i1 true)
  %v23 = bitcast i32 %v22 to float
  %v24 = call nnan float @llvm.maxnum.f32(float %v20, float %v23)
  %v25 = bitcast float %v24 to i32
  %v26 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v25, i32 356, i32 15, i32 15, i1 true)
  %v27 = bitcast i32 %v26 to float
  %v28 = call nnan float @llvm.maxnum.f32(float %v24, float %v27)
  %v29 = bitcast float %v28 to i32
  %v30 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v29, i32 360, i32 15, i32 15, i1 true)
  %v31 = bitcast i32 %v30 to float
  %v32 = call nnan float @llvm.maxnum.f32(float %v28, float %v31)
  %v33 = bitcast float %v32 to i32
  %v34 = call i32 @llvm.amdgcn.permlanex16.i32(i32 poison, i32 %v33, i32 1985229328, i32 -19088744, i1 false, i1 false)
  %v35 = bitcast i32 %v34 to float
  %v36 = call nnan float @llvm.maxnum.f32(float %v32, float %v35)
  %v37 = bitcast float %v36 to i32
  %v38 = call i32 @llvm.amdgcn.readlane.i32(i32 %v37, i32 0)
  %v39 = bitcast i32 %v38 to float
  %v40 = fcmp oeq float %v14, %v39
  %v41 = call i32 @llvm.amdgcn.ballot.i32(i1 %v40)
  %v42 = call i32 @llvm.ctpop.i32(i32 %v41)
  %v43 = icmp eq i32 %v42, 1
  br i1 %v43, label %one1, label %several2
one1:
  %v44 = call i32 @llvm.cttz.i32(i32 %v41, i1 true)
  %v45 = call i32 @llvm.amdgcn.readlane.i32(i32 %v16, i32 %v44)
  %v46 = bitcast float %v14 to i32
  %v47 = call i32 @llvm.amdgcn.readlane.i32(i32 %v46, i32 %v44)
  br label %both3
several2:
  %v48 = select i1 %v40, i32 %v16, i32 2147483647
  %v49 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v48, i32 353, i32 15, i32 15, i1 true)
  %v50 = call i32 @llvm.smin.i32(i32 %v48, i32 %v49)
  %v51 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v50, i32 354, i32 15, i32 15, i1 true)
  %v52 = call i32 @llvm.smin.i32(i32 %v50, i32 %v51)
  %v53 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v52, i32 356, i32 15, i32 15, i1 true)
  %v54 = call i32 @llvm.smin.i32(i32 %v52, i32 %v53)
  %v55 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v54, i32 360, i32 15, i32 15, i1 true)
  %v56 = call i32 @llvm.smin.i32(i32 %v54, i32 %v55)
  %v57 = call i32 @llvm.amdgcn.permlanex16.i32(i32 poison, i32 %v56, i32 1985229328, i32 -19088744, i1 false, i1 false)
  %v58 = call i32 @llvm.smin.i32(i32 %v56, i32 %v57)
  %v59 = call i32 @llvm.amdgcn.readlane.i32(i32 %v58, i32 0)
  %v60 = icmp eq i32 %v48, %v59
  %v61 = call i32 @llvm.amdgcn.ballot.i32(i1 %v60)
  %v62 = call i32 @llvm.cttz.i32(i32 %v61, i1 true)
  %v63 = bitcast float %v14 to i32
  %v64 = call i32 @llvm.amdgcn.readlane.i32(i32 %v63, i32 %v62)
  br label %both3
both3:
  %v65 = phi i32 [ %v45, %one1 ], [ %v59, %several2 ]
  %v66 = phi i32 [ %v47, %one1 ], [ %v64, %several2 ]
  %v67 = icmp eq i32 %v1, 0
  %v68 = bitcast i32 %v66 to float
  br i1 %v67, label %store4, label %stored5
store4:
  %v69 = zext i32 %v2 to i64
  %v70 = shl i64 %v69, 2
  %v71 = getelementptr i8, ptr addrspace(1) %values, i64 %v70
  store float %v68, ptr addrspace(1) %v71, align 4
  %v72 = zext i32 %v2 to i64
  %v73 = shl i64 %v72, 2
  %v74 = getelementptr i8, ptr addrspace(1) %indices, i64 %v73
  store i32 %v65, ptr addrspace(1) %v74, align 4
  br label %stored5
stored5:
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.permlanex16.i32(i32, i32, i32, i32, i1, i1)
declare i32 @llvm.amdgcn.ballot.i32(i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare float @llvm.maxnum.f32(float, float)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="32,32" "target-features"="+wavefrontsize32" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 32, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
