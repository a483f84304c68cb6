target triple = "amdgcn-amd-amdhsa"

@partials_argmin_nx130x6xf16_2_70f1ef723abc5f6c = internal addrspace(3) global [1536 x i8] poison, align 16

@arrived_argmin_nx130x6xf16_2_70f1ef723abc5f6c = internal addrspace(3) global [4 x i8] poison, align 16

define protected amdgpu_kernel void @argmin_nx130x6xf16_2_70f1ef723abc5f6c(ptr addrspace(1) inreg noalias readonly %input, ptr addrspace(1) inreg noalias %values, ptr addrspace(1) inreg noalias %indices, i64 inreg %base, ptr addrspace(1) inreg %workspace, i32 inreg %count) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = and i32 %v1, 63
  %v3 = lshr i32 %v1, 6
  %v4 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v3)
  %v5 = and i32 %v2, 3
  %v6 = lshr i32 %v2, 2
  %v7 = and i32 %v6, 3
  %v8 = lshr i32 %v2, 4
  %v9 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v10 = and i32 %v9, 3
  %v11 = lshr i32 %v9, 2
  %v12 = shl i32 %v10, 6
  %v13 = call i32 @llvm.umin.i32(i32 %v12, i32 66)
  %v14 = shl i32 %v11, 3
  %v15 = sub i32 %count, %v14
  %v16 = call i32 @llvm.umin.i32(i32 %v15, i32 8)
  %v17 = sub i32 %v16, 1
  %v18 = call i32 @llvm.umin.i32(i32 %v5, i32 %v17)
  %v19 = add i32 %v5, 4
  %v20 = call i32 @llvm.umin.i32(i32 %v19, i32 %v17)
  %v21 = shl i32 %v7, 1
  %v22 = shl i32 %v4, 3
  %v23 = shl i32 %v8, 1
  %v24 = call i32 @llvm.umin.i32(i32 %v23, i32 4)
  %v25 = add i32 %v21, %v22
  %v26 = add i32 %v13, %v25
  %v27 = mul i32 %v14, 1560
  %v28 = mul i32 %v13, 12
  %v29 = add i32 %v27, %v28
  %v30 = mul i32 %v22, 12
  %v31 = add i32 %v29, %v30
  %v32 = zext i32 %v31 to i64
  %v33 = mul i32 %v18, 1560
  %v34 = mul i32 %v20, 1560
  %v35 = mul i32 %v21, 12
  %v36 = shl i32 %v24, 1
  %v37 = getelementptr i8, ptr addrspace(1) %input, i64 %v32
  %v38 = add i32 %v33, %v35
  %v39 = add i32 %v38, %v36
  %v40 = add i32 %v34, %v35
  %v41 = add i32 %v40, %v36
  br label %loop1
loop1:
  %v42 = phi i32 [ 0, %entry ], [ %v103, %loop1 ]
  %v43 = phi ptr addrspace(1) [ %v37, %entry ], [ %v104, %loop1 ]
  %v44 = phi half [ 0xH7C00, %entry ], [ %v83, %loop1 ]
  %v45 = phi i32 [ 0, %entry ], [ %v87, %loop1 ]
  %v46 = phi half [ 0xH7C00, %entry ], [ %v84, %loop1 ]
  %v47 = phi i32 [ 0, %entry ], [ %v88, %loop1 ]
  %v48 = phi half [ 0xH7C00, %entry ], [ %v85, %loop1 ]
  %v49 = phi i32 [ 0, %entry ], [ %v89, %loop1 ]
  %v50 = phi half [ 0xH7C00, %entry ], [ %v86, %loop1 ]
  %v51 = phi i32 [ 0, %entry ], [ %v90, %loop1 ]
  %v52 = phi half [ 0xH7C00, %entry ], [ %v95, %loop1 ]
  %v53 = phi i32 [ 0, %entry ], [ %v99, %loop1 ]
  %v54 = phi half [ 0xH7C00, %entry ], [ %v96, %loop1 ]
  %v55 = phi i32 [ 0, %entry ], [ %v100, %loop1 ]
  %v56 = phi half [ 0xH7C00, %entry ], [ %v97, %loop1 ]
  %v57 = phi i32 [ 0, %entry ], [ %v101, %loop1 ]
  %v58 = phi half [ 0xH7C00, %entry ], [ %v98, %loop1 ]
  %v59 = phi i32 [ 0, %entry ], [ %v102, %loop1 ]
  %v60 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v43)
  %v61 = zext i32 %v39 to i64
  %v62 = getelementptr i8, ptr addrspace(1) %v60, i64 %v61
  %v63 = load <2 x half>, ptr addrspace(1) %v62, align 2
  %v64 = getelementptr i8, ptr addrspace(1) %v62, i64 12
  %v65 = load <2 x half>, ptr addrspace(1) %v64, align 2
  %v66 = zext i32 %v41 to i64
  %v67 = getelementptr i8, ptr addrspace(1) %v60, i64 %v66
  %v68 = load <2 x half>, ptr addrspace(1) %v67, align 2
  %v69 = getelementptr i8, ptr addrspace(1) %v67, i64 12
  %v70 = load <2 x half>, ptr addrspace(1) %v69, align 2
  %v71 = extractelement <2 x half> %v63, i32 0
  %v72 = extractelement <2 x half> %v63, i32 1
  %v73 = extractelement <2 x half> %v65, i32 0
  %v74 = extractelement <2 x half> %v65, i32 1
  %v75 = extractelement <2 x half> %v68, i32 0
  %v76 = extractelement <2 x half> %v68, i32 1
  %v77 = extractelement <2 x half> %v70, i32 0
  %v78 = extractelement <2 x half> %v70, i32 1
  %v79 = fcmp olt half %v71, %v44
  %v80 = fcmp olt half %v73, %v46
  %v81 = fcmp olt half %v72, %v48
  %v82 = fcmp olt half %v74, %v50
  %v83 = select i1 %v79, half %v71, half %v44
  %v84 = select i1 %v80, half %v73, half %v46
  %v85 = select i1 %v81, half %v72, half %v48
  %v86 = select i1 %v82, half %v74, half %v50
  %v87 = select i1 %v79, i32 %v42, i32 %v45
  %v88 = select i1 %v80, i32 %v42, i32 %v47
  %v89 = select i1 %v81, i32 %v42, i32 %v49
  %v90 = select i1 %v82, i32 %v42, i32 %v51
  %v91 = fcmp olt half %v75, %v52
  %v92 = fcmp olt half %v77, %v54
  %v93 = fcmp olt half %v76, %v56
  %v94 = fcmp olt half %v78, %v58
  %v95 = select i1 %v91, half %v75, half %v52
  %v96 = select i1 %v92, half %v77, half %v54
  %v97 = select i1 %v93, half %v76, half %v56
  %v98 = select i1 %v94, half %v78, half %v58
  %v99 = select i1 %v91, i32 %v42, i32 %v53
  %v100 = select i1 %v92, i32 %v42, i32 %v55
  %v101 = select i1 %v93, i32 %v42, i32 %v57
  %v102 = select i1 %v94, i32 %v42, i32 %v59
  %v103 = add i32 %v42, 32
  %v104 = getelementptr i8, ptr addrspace(1) %v43, i64 384
  %v105 = icmp ult i32 %v42, 32
  br i1 %v105, label %loop1, label %done2
done2:
  %v106 = add i32 %v88, 1
  %v107 = fpext half %v83 to float
  %v108 = fpext half %v84 to float
  %v109 = fcmp olt float %v108, %v107
  %v110 = fcmp oeq float %v108, %v107
  %v111 = icmp ult i32 %v106, %v87
  %v112 = and i1 %v110, %v111
  %v113 = or i1 %v109, %v112
  %v114 = select i1 %v113, half %v84, half %v83
  %v115 = select i1 %v113, i32 %v106, i32 %v87
  %v116 = add i32 %v115, %v26
  %v117 = add i32 %v90, 1
  %v118 = fpext half %v85 to float
  %v119 = fpext half %v86 to float
  %v120 = fcmp olt float %v119, %v118
  %v121 = fcmp oeq float %v119, %v118
  %v122 = icmp ult i32 %v117, %v89
  %v123 = and i1 %v121, %v122
  %v124 = or i1 %v120, %v123
  %v125 = select i1 %v124, half %v86, half %v85
  %v126 = select i1 %v124, i32 %v117, i32 %v89
  %v127 = add i32 %v126, %v26
  %v128 = add i32 %v100, 1
  %v129 = fpext half %v95 to float
  %v130 = fpext half %v96 to float
  %v131 = fcmp olt float %v130, %v129
  %v132 = fcmp oeq float %v130, %v129
  %v133 = icmp ult i32 %v128, %v99
  %v134 = and i1 %v132, %v133
  %v135 = or i1 %v131, %v134
  %v136 = select i1 %v135, half %v96, half %v95
  %v137 = select i1 %v135, i32 %v128, i32 %v99
  %v138 = add i32 %v137, %v26
  %v139 = add i32 %v102, 1
  %v140 = fpext half %v97 to float
  %v141 = fpext half %v98 to float
  %v142 = fcmp olt float %v141, %v140
  %v143 = fcmp oeq float %v141, %v140
  %v144 = icmp ult i32 %v139, %v101
  %v145 = and i1 %v143, %v144
  %v146 = or i1 %v142, %v145
  %v147 = select i1 %v146, half %v98, half %v97
  %v148 = select i1 %v146, i32 %v139, i32 %v101
  %v149 = add i32 %v148, %v26
  %v150 = fpext half %v114 to float
  %v151 = bitcast float %v150 to i32
  %v152 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v151, i32 296, i32 15, i32 15, i1 true)
  %v153 = bitcast i32 %v152 to float
  %v154 = call nnan float @llvm.minnum.f32(float %v150, float %v153)
  %v155 = bitcast float %v154 to i32
  %v156 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v155, i32 292, i32 15, i32 15, i1 true)
  %v157 = bitcast i32 %v156 to float
  %v158 = call nnan float @llvm.minnum.f32(float %v154, float %v157)
  %v159 = fcmp oeq float %v150, %v158
  %v160 = select i1 %v159, i32 %v116, i32 -1
  %v161 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v160, i32 296, i32 15, i32 15, i1 true)
  %v162 = call i32 @llvm.umin.i32(i32 %v160, i32 %v161)
  %v163 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v162, i32 292, i32 15, i32 15, i1 true)
  %v164 = call i32 @llvm.umin.i32(i32 %v162, i32 %v163)
  %v165 = icmp eq i32 %v160, %v164
  %v166 = icmp uge i32 %v18, %v5
  %v167 = icmp uge i32 %v24, %v23
  %v168 = fpext half %v125 to float
  %v169 = bitcast float %v168 to i32
  %v170 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v169, i32 296, i32 15, i32 15, i1 true)
  %v171 = bitcast i32 %v170 to float
  %v172 = call nnan float @llvm.minnum.f32(float %v168, float %v171)
  %v173 = bitcast float %v172 to i32
  %v174 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v173, i32 292, i32 15, i32 15, i1 true)
  %v175 = bitcast i32 %v174 to float
  %v176 = call nnan float @llvm.minnum.f32(float %v172, float %v175)
  %v177 = fcmp oeq float %v168, %v176
  %v178 = select i1 %v177, i32 %v127, i32 -1
  %v179 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v178, i32 296, i32 15, i32 15, i1 true)
  %v180 = call i32 @llvm.umin.i32(i32 %v178, i32 %v179)
  %v181 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v180, i32 292, i32 15, i32 15, i1 true)
  %v182 = call i32 @llvm.umin.i32(i32 %v180, i32 %v181)
  %v183 = icmp eq i32 %v178, %v182
  %v184 = icmp uge i32 %v18, %v5
  %v185 = add i32 %v24, 1
  %v186 = icmp uge i32 %v185, %v23
  %v187 = fpext half %v136 to float
  %v188 = bitcast float %v187 to i32
  %v189 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v188, i32 296, i32 15, i32 15, i1 true)
  %v190 = bitcast i32 %v189 to float
  %v191 = call nnan float @llvm.minnum.f32(float %v187, float %v190)
  %v192 = bitcast float %v191 to i32
  %v193 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v192, i32 292, i32 15, i32 15, i1 true)
  %v194 = bitcast i32 %v193 to float
  %v195 = call nnan float @llvm.minnum.f32(float %v191, float %v194)
  %v196 = fcmp oeq float %v187, %v195
  %v197 = select i1 %v196, i32 %v138, i32 -1
  %v198 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v197, i32 296, i32 15, i32 15, i1 true)
  %v199 = call i32 @llvm.umin.i32(i32 %v197, i32 %v198)
  %v200 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v199, i32 292, i32 15, i32 15, i1 true)
  %v201 = call i32 @llvm.umin.i32(i32 %v199, i32 %v200)
  %v202 = icmp eq i32 %v197, %v201
  %v203 = icmp uge i32 %v20, %v19
  %v204 = icmp uge i32 %v24, %v23
  %v205 = fpext half %v147 to float
  %v206 = bitcast float %v205 to i32
  %v207 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v206, i32 296, i32 15, i32 15, i1 true)
  %v208 = bitcast i32 %v207 to float
  %v209 = call nnan float @llvm.minnum.f32(float %v205, float %v208)
  %v210 = bitcast float %v209 to i32
  %v211 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v210, i32 292, i32 15, i32 15, i1 true)
  %v212 = bitcast i32 %v211 to float
  %v213 = call nnan float @llvm.minnum.f32(float %v209, float %v212)
  %v214 = fcmp oeq float %v205, %v213
  %v215 = select i1 %v214, i32 %v149, i32 -1
  %v216 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v215, i32 296, i32 15, i32 15, i1 true)
  %v217 = call i32 @llvm.umin.i32(i32 %v215, i32 %v216)
  %v218 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v217, i32 292, i32 15, i32 15, i1 true)
  %v219 = call i32 @llvm.umin.i32(i32 %v217, i32 %v218)
  %v220 = icmp eq i32 %v215, %v219
  %v221 = icmp uge i32 %v20, %v19
  %v222 = add i32 %v24, 1
  %v223 = icmp uge i32 %v222, %v23
  %v224 = lshr i32 %v1, 6
  %v225 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v224)
  %v226 = and i1 %v165, %v166
  %v227 = and i1 %v226, %v167
  br i1 %v227, label %then3, label %after4
then3:
  %v228 = mul i32 %v18, 6
  %v229 = add i32 %v228, %v24
  %v230 = shl i32 %v229, 2
  %v231 = add i32 %v230, %v225
  %v232 = getelementptr [8 x i8], ptr addrspace(3) @partials_argmin_nx130x6xf16_2_70f1ef723abc5f6c, i32 %v231
  %v233 = bitcast half %v114 to i16
  %v234 = zext i16 %v233 to i32
  %v235 = insertelement <2 x i32> poison, i32 %v234, i32 0
  %v236 = insertelement <2 x i32> %v235, i32 %v116, i32 1
  store <2 x i32> %v236, ptr addrspace(3) %v232, align 8
  br label %after4
after4:
  %v237 = and i1 %v183, %v184
  %v238 = and i1 %v237, %v186
  br i1 %v238, label %then5, label %after6
then5:
  %v239 = mul i32 %v18, 6
  %v240 = add i32 %v239, %v185
  %v241 = shl i32 %v240, 2
  %v242 = add i32 %v241, %v225
  %v243 = getelementptr [8 x i8], ptr addrspace(3) @partials_argmin_nx130x6xf16_2_70f1ef723abc5f6c, i32 %v242
  %v244 = bitcast half %v125 to i16
  %v245 = zext i16 %v244 to i32
  %v246 = insertelement <2 x i32> poison, i32 %v245, i32 0
  %v247 = insertelement <2 x i32> %v246, i32 %v127, i32 1
  store <2 x i32> %v247, ptr addrspace(3) %v243, align 8
  br label %after6
after6:
  %v248 = and i1 %v202, %v203
  %v249 = and i1 %v248, %v204
  br i1 %v249, label %then7, label %after8
then7:
  %v250 = mul i32 %v20, 6
  %v251 = add i32 %v250, %v24
  %v252 = shl i32 %v251, 2
  %v253 = add i32 %v252, %v225
  %v254 = getelementptr [8 x i8], ptr addrspace(3) @partials_argmin_nx130x6xf16_2_70f1ef723abc5f6c, i32 %v253
  %v255 = bitcast half %v136 to i16
  %v256 = zext i16 %v255 to i32
  %v257 = insertelement <2 x i32> poison, i32 %v256, i32 0
  %v258 = insertelement <2 x i32> %v257, i32 %v138, i32 1
  store <2 x i32> %v258, ptr addrspace(3) %v254, align 8
  br label %after8
after8:
  %v259 = and i1 %v220, %v221
  %v260 = and i1 %v259, %v223
  br i1 %v260, label %then9, label %after10
then9:
  %v261 = mul i32 %v20, 6
  %v262 = add i32 %v261, %v222
  %v263 = shl i32 %v262, 2
  %v264 = add i32 %v263, %v225
  %v265 = getelementptr [8 x i8], ptr addrspace(3) @partials_argmin_nx130x6xf16_2_70f1ef723abc5f6c, i32 %v264
  %v266 = bitcast half %v147 to i16
  %v267 = zext i16 %v266 to i32
  %v268 = insertelement <2 x i32> poison, i32 %v267, i32 0
  %v269 = insertelement <2 x i32> %v268, i32 %v149, i32 1
  store <2 x i32> %v269, ptr addrspace(3) %v265, align 8
  br label %after10
after10:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v270 = icmp ult i32 %v1, 192
  br i1 %v270, label %then11, label %after12
then11:
  %v271 = lshr i32 %v1, 2
  %v272 = urem i32 %v271, 6
  %v273 = udiv i32 %v271, 6
  %v274 = icmp ult i32 %v273, %v16
  br i1 %v274, label %then13, label %after14
then13:
  %v275 = getelementptr [8 x i8], ptr addrspace(3) @partials_argmin_nx130x6xf16_2_70f1ef723abc5f6c, i32 %v1
  %v276 = load <2 x i32>, ptr addrspace(3) %v275, align 8
  %v277 = extractelement <2 x i32> %v276, i32 0
  %v278 = extractelement <2 x i32> %v276, i32 1
  %v279 = trunc i32 %v277 to i16
  %v280 = bitcast i16 %v279 to half
  %v281 = bitcast half %v280 to i16
  %v282 = zext i16 %v281 to i32
  %v283 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v282, i32 177, i32 15, i32 15, i1 true)
  %v284 = trunc i32 %v283 to i16
  %v285 = bitcast i16 %v284 to half
  %v286 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v278, i32 177, i32 15, i32 15, i1 true)
  %v287 = fpext half %v280 to float
  %v288 = fpext half %v285 to float
  %v289 = fcmp olt float %v288, %v287
  %v290 = fcmp oeq float %v288, %v287
  %v291 = icmp ult i32 %v286, %v278
  %v292 = and i1 %v290, %v291
  %v293 = or i1 %v289, %v292
  %v294 = select i1 %v293, half %v285, half %v280
  %v295 = select i1 %v293, i32 %v286, i32 %v278
  %v296 = bitcast half %v294 to i16
  %v297 = zext i16 %v296 to i32
  %v298 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v297, i32 78, i32 15, i32 15, i1 true)
  %v299 = trunc i32 %v298 to i16
  %v300 = bitcast i16 %v299 to half
  %v301 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v295, i32 78, i32 15, i32 15, i1 true)
  %v302 = fpext half %v294 to float
  %v303 = fpext half %v300 to float
  %v304 = fcmp olt float %v303, %v302
  %v305 = fcmp oeq float %v303, %v302
  %v306 = icmp ult i32 %v301, %v295
  %v307 = and i1 %v305, %v306
  %v308 = or i1 %v304, %v307
  %v309 = select i1 %v308, half %v300, half %v294
  %v310 = select i1 %v308, i32 %v301, i32 %v295
  %v311 = and i32 %v1, 3
  %v312 = lshr i32 %v1, 2
  %v313 = icmp eq i32 %v311, 0
  %v314 = urem i32 %v312, 6
  %v315 = udiv i32 %v312, 6
  br i1 %v313, label %then15, label %after16
then15:
  %v316 = mul i32 %v14, 6
  %v317 = mul i32 %v315, 6
  %v318 = add i32 %v317, %v314
  %v319 = add i32 %v316, %v318
  %v320 = shl i32 %v319, 5
  %v321 = zext i32 %v320 to i64
  %v322 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v321
  %v323 = zext i32 %v10 to i64
  %v324 = shl i64 %v323, 3
  %v325 = getelementptr i8, ptr addrspace(1) %v322, i64 %v324
  %v326 = bitcast half %v309 to i16
  %v327 = zext i16 %v326 to i32
  %v328 = insertelement <2 x i32> poison, i32 %v327, i32 0
  %v329 = insertelement <2 x i32> %v328, i32 %v310, i32 1
  store <2 x i32> %v329, ptr addrspace(1) %v325, align 8
  br label %after16
after16:
  br label %after14
after14:
  br label %after12
after12:
  %v330 = getelementptr i8, ptr addrspace(1) %workspace, i64 9600
  %v331 = zext i32 %v11 to i64
  %v332 = shl i64 %v331, 2
  %v333 = getelementptr i8, ptr addrspace(1) %v330, i64 %v332
  fence syncscope("agent") release
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v334 = icmp eq i32 %v1, 0
  br i1 %v334, label %then17, label %after18
then17:
  %v335 = atomicrmw add ptr addrspace(1) %v333, i32 1 syncscope("agent") acq_rel
  store i32 %v335, ptr addrspace(3) @arrived_argmin_nx130x6xf16_2_70f1ef723abc5f6c, align 4
  br label %after18
after18:
  %v336 = phi i32 [ 0, %after12 ], [ %v335, %then17 ]
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v337 = load i32, ptr addrspace(3) @arrived_argmin_nx130x6xf16_2_70f1ef723abc5f6c, align 4
  %v338 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v337)
  %v339 = icmp eq i32 %v338, 3
  br i1 %v339, label %then19, label %after20
then19:
  fence syncscope("agent") acquire
  %v340 = icmp eq i32 %v1, 0
  br i1 %v340, label %then21, label %after22
then21:
  store i32 0, ptr addrspace(1) %v333, align 4
  br label %after22
after22:
  %v341 = icmp ult i32 %v1, 192
  br i1 %v341, label %then23, label %after24
then23:
  %v342 = and i32 %v1, 3
  %v343 = lshr i32 %v1, 2
  %v344 = urem i32 %v343, 6
  %v345 = udiv i32 %v343, 6
  %v346 = icmp ult i32 %v345, %v16
  br i1 %v346, label %then25, label %after26
then25:
  %v347 = mul i32 %v14, 6
  %v348 = mul i32 %v345, 6
  %v349 = add i32 %v348, %v344
  %v350 = add i32 %v347, %v349
  %v351 = shl i32 %v350, 5
  %v352 = zext i32 %v351 to i64
  %v353 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v352
  %v354 = zext i32 %v342 to i64
  %v355 = shl i64 %v354, 3
  %v356 = getelementptr i8, ptr addrspace(1) %v353, i64 %v355
  %v357 = load <2 x i32>, ptr addrspace(1) %v356, align 8
  %v358 = extractelement <2 x i32> %v357, i32 0
  %v359 = extractelement <2 x i32> %v357, i32 1
  %v360 = trunc i32 %v358 to i16
  %v361 = bitcast i16 %v360 to half
  %v362 = bitcast half %v361 to i16
  %v363 = zext i16 %v362 to i32
  %v364 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v363, i32 177, i32 15, i32 15, i1 true)
  %v365 = trunc i32 %v364 to i16
  %v366 = bitcast i16 %v365 to half
  %v367 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v359, i32 177, i32 15, i32 15, i1 true)
  %v368 = fpext half %v361 to float
  %v369 = fpext half %v366 to float
  %v370 = fcmp olt float %v369, %v368
  %v371 = fcmp oeq float %v369, %v368
  %v372 = icmp ult i32 %v367, %v359
  %v373 = and i1 %v371, %v372
  %v374 = or i1 %v370, %v373
  %v375 = select i1 %v374, half %v366, half %v361
  %v376 = select i1 %v374, i32 %v367, i32 %v359
  %v377 = bitcast half %v375 to i16
  %v378 = zext i16 %v377 to i32
  %v379 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v378, i32 78, i32 15, i32 15, i1 true)
  %v380 = trunc i32 %v379 to i16
  %v381 = bitcast i16 %v380 to half
  %v382 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v376, i32 78, i32 15, i32 15, i1 true)
  %v383 = fpext half %v375 to float
  %v384 = fpext half %v381 to float
  %v385 = fcmp olt float %v384, %v383
  %v386 = fcmp oeq float %v384, %v383
  %v387 = icmp ult i32 %v382, %v376
  %v388 = and i1 %v386, %v387
  %v389 = or i1 %v385, %v388
  %v390 = select i1 %v389, half %v381, half %v375
  %v391 = select i1 %v389, i32 %v382, i32 %v376
  %v392 = icmp eq i32 %v342, 0
  br i1 %v392, label %then27, label %after28
then27:
  %v393 = mul i32 %v14, 6
  %v394 = mul i32 %v345, 6
  %v395 = add i32 %v394, %v344
  %v396 = fpext half %v390 to float
  %v397 = fpext half 0xH7C00 to float
  %v398 = fcmp olt float %v396, %v397
  %v399 = zext i32 %v391 to i64
  %v400 = add i64 %v399, %base
  %v401 = select i1 %v398, i64 %v400, i64 0
  %v402 = add i32 %v393, %v395
  %v403 = shl i32 %v402, 1
  %v404 = zext i32 %v403 to i64
  %v405 = getelementptr i8, ptr addrspace(1) %values, i64 %v404
  store half %v390, ptr addrspace(1) %v405, align 2
  %v406 = add i32 %v393, %v395
  %v407 = shl i32 %v406, 3
  %v408 = zext i32 %v407 to i64
  %v409 = getelementptr i8, ptr addrspace(1) %indices, i64 %v408
  store i64 %v401, ptr addrspace(1) %v409, align 8
  br label %after28
after28:
  br label %after26
after26:
  br label %after24
after24:
  br label %after20
after20:
  ret void
}

declare float @llvm.minnum.f32(float, float)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.umin.i32(i32, i32)
declare void @llvm.amdgcn.s.barrier()

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="256,256" "target-features"="+wavefrontsize64" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 256, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
