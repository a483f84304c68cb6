target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @argmax_100000000x2xf32_3fbd4276af1d32fc(ptr addrspace(1) noalias readonly %input, ptr addrspace(1) noalias %values, ptr addrspace(1) noalias %indices) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v3 = call i32 @llvm.umin.i32(i32 %v1, i32 1)
  %v4 = shl i32 %v2, 3
  %v5 = zext i32 %v4 to i64
  %v6 = shl i32 %v3, 2
  %v7 = getelementptr i8, ptr addrspace(1) %input, i64 %v5
  %v8 = zext i32 %v6 to i64
  %v9 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v7)
  %v10 = getelementptr i8, ptr addrspace(1) %v9, i64 %v8
  %v11 = load float, ptr addrspace(1) %v10, align 4
  %v12 = fcmp ogt float %v11, 0xFFF0000000000000
  %v13 = select i1 %v12, float %v11, float 0xFFF0000000000000
  %v14 = select i1 %v12, i32 0, i32 0
  %v15 = add i32 %v14, %v3
  %v16 = bitcast float %v13 to i32
  %v17 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v16, i32 353, i32 15, i32 15, i1 true)
  %v18 = bitcast i32 %v17 to float
  %v19 = call nnan float @llvm.maxnum.f32(float %v13, float %v18)
  %v20 = bitcast float %v19 to i32
  %v21 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v20, i32 354, i32 15, i32 15, i1 true)
  %v22 = bitcast i32 %v21 to float
  %v23 = call nnan float @llvm.maxnum.f32(float %v19, float %v22)
  %v24 = bitcast float %v23 to i32
  %v25 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v24, i32 356, i32 15, i32 15, i1 true)
  %v26 = bitcast i32 %v25 to float
  %v27 = call nnan float @llvm.maxnum.f32(float %v23, float %v26)
  %v28 = bitcast float %v27 to i32
  %v29 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v28, i32 360, i32 15, i32 15, i1 true)
  %v30 = bitcast i32 %v29 to float
  %v31 = call nnan float @llvm.maxnum.f32(float %v27, float %v30)
  %v32 = bitcast float %v31 to i32
  %v33 = call i32 @llvm.amdgcn.permlanex16.i32(i32 poison, i32 %v32, i32 1985229328, i32 -19088744, i1 false, i1 false)
  %v34 = bitcast i32 %v33 to float
  %v35 = call nnan float @llvm.maxnum.f32(float %v31, float %v34)
  %v36 = bitcast float %v35 to i32
  %v37 = call i32 @llvm.amdgcn.readlane.i32(i32 %v36, i32 0)
  %v38 = bitcast i32 %v37 to float
  %v39 = fcmp oeq float %v13, %v38
  %v40 = call i32 @llvm.amdgcn.ballot.i32(i1 %v39)
  %v41 = call i32 @llvm.ctpop.i32(i32 %v40)
  %v42 = icmp eq i32 %v41, 1
  br i1 %v42, label %one1, label %several2
one1:
  %v43 = call i32 @llvm.cttz.i32(i32 %v40, i1 true)
  %v44 = call i32 @llvm.amdgcn.readlane.i32(i32 %v15, i32 %v43)
  %v45 = bitcast float %v13 to i32
  %v46 = call i32 @llvm.amdgcn.readlane.i32(i32 %v45, i32 %v43)
  br label %both3
several2:
  %v47 = select i1 %v39, i32 %v15, i32 -1
  %v48 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v47, i32 353, i32 15, i32 15, i1 true)
  %v49 = call i32 @llvm.umin.i32(i32 %v47, i32 %v48)
  %v50 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v49, i32 354, i32 15, i32 15, i1 true)
  %v51 = call i32 @llvm.umin.i32(i32 %v49, i32 %v50)
  %v52 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v51, i32 356, i32 15, i32 15, i1 true)
  %v53 = call i32 @llvm.umin.i32(i32 %v51, i32 %v52)
  %v54 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v53, i32 360, i32 15, i32 15, i1 true)
  %v55 = call i32 @llvm.umin.i32(i32 %v53, i32 %v54)
  %v56 = call i32 @llvm.amdgcn.permlanex16.i32(i32 poison, i32 %v55, i32 1985229328, i32 -19088744, i1 false, i1 false)
  %v57 = call i32 @llvm.umin.i32(i32 %v55, i32 %v56)
  %v58 = call i32 @llvm.amdgcn.readlane.i32(i32 %v57, i32 0)
  %v59 = icmp eq i32 %v47, %v58
  %v60 = call i32 @llvm.amdgcn.ballot.i32(i1 %v59)
  %v61 = call i32 @llvm.cttz.i32(i32 %v60, i1 true)
  %v62 = call i32 @llvm.amdgcn.readlane.i32(i32 %v15, i32 %v61)
  %v63 = bitcast float %v13 to i32
  %v64 = call i32 @llvm.amdgcn.readlane.i32(i32 %v63, i32 %v61)
  br label %both3
both3:
  %v65 = phi i32 [ %v46, %one1 ], [ %v64, %several2 ]
  %v66 = phi i32 [ %v44, %one1 ], [ %v62, %several2 ]
  %v67 = icmp eq i32 %v1, 0
  %v68 = bitcast i32 %v65 to float
  br i1 %v67, label %guarded4, label %after5
guarded4:
  %v69 = fcmp ogt float %v68, 0xFFF0000000000000
  %v70 = shl i32 %v2, 2
  %v71 = zext i32 %v70 to i64
  %v72 = getelementptr i8, ptr addrspace(1) %values, i64 %v71
  store float %v68, ptr addrspace(1) %v72, align 4
  %v73 = shl i32 %v2, 2
  %v74 = zext i32 %v73 to i64
  %v75 = getelementptr i8, ptr addrspace(1) %indices, i64 %v74
  store i32 %v66, ptr addrspace(1) %v75, align 4
  br label %after5
after5:
  ret void
}

declare i32 @llvm.amdgcn.ballot.i32(i1)
declare i32 @llvm.amdgcn.permlanex16.i32(i32, i32, i32, i32, i1, i1)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.cttz.i32(i32, i1)
declare float @llvm.maxnum.f32(float, float)
declare i32 @llvm.umin.i32(i32, i32)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="32,32" "target-features"="+wavefrontsize32" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 32, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
