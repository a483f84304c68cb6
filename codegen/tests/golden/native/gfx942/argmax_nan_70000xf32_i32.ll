target triple = "amdgcn-amd-amdhsa"

@partials_argmax_nan_70000xf32_2_11ce632db677dbc9 = internal addrspace(3) global [64 x i8] poison, align 16

@arrived_argmax_nan_70000xf32_2_11ce632db677dbc9 = internal addrspace(3) global [4 x i8] poison, align 16

define protected amdgpu_kernel void @argmax_nan_70000xf32_2_11ce632db677dbc9(ptr addrspace(1) inreg noalias readonly %input, ptr addrspace(1) inreg noalias %values, ptr addrspace(1) inreg noalias %indices, ptr addrspace(1) inreg %workspace) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = and i32 %v1, 63
  %v3 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v4 = and i32 %v3, 15
  %v5 = lshr i32 %v3, 4
  %v6 = mul i32 %v4, 6144
  %v7 = call i32 @llvm.umin.i32(i32 %v6, i32 63856)
  %v8 = shl i32 %v1, 2
  %v9 = add i32 %v7, %v8
  %v10 = shl i32 %v7, 2
  %v11 = zext i32 %v10 to i64
  %v12 = shl i32 %v8, 2
  %v13 = getelementptr i8, ptr addrspace(1) %input, i64 %v11
  br label %loop1
loop1:
  %v14 = phi i32 [ 0, %entry ], [ %v52, %loop1 ]
  %v15 = phi ptr addrspace(1) [ %v13, %entry ], [ %v53, %loop1 ]
  %v16 = phi float [ 0xFFF0000000000000, %entry ], [ %v44, %loop1 ]
  %v17 = phi i32 [ -1, %entry ], [ %v48, %loop1 ]
  %v18 = phi float [ 0xFFF0000000000000, %entry ], [ %v45, %loop1 ]
  %v19 = phi i32 [ -1, %entry ], [ %v49, %loop1 ]
  %v20 = phi float [ 0xFFF0000000000000, %entry ], [ %v46, %loop1 ]
  %v21 = phi i32 [ -1, %entry ], [ %v50, %loop1 ]
  %v22 = phi float [ 0xFFF0000000000000, %entry ], [ %v47, %loop1 ]
  %v23 = phi i32 [ -1, %entry ], [ %v51, %loop1 ]
  %v24 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v15)
  %v25 = zext i32 %v12 to i64
  %v26 = getelementptr i8, ptr addrspace(1) %v24, i64 %v25
  %v27 = load <4 x float>, ptr addrspace(1) %v26, align 4
  %v28 = extractelement <4 x float> %v27, i32 0
  %v29 = extractelement <4 x float> %v27, i32 1
  %v30 = extractelement <4 x float> %v27, i32 2
  %v31 = extractelement <4 x float> %v27, i32 3
  %v32 = fcmp ord float %v16, %v16
  %v33 = fcmp ugt float %v28, %v16
  %v34 = and i1 %v32, %v33
  %v35 = fcmp ord float %v18, %v18
  %v36 = fcmp ugt float %v29, %v18
  %v37 = and i1 %v35, %v36
  %v38 = fcmp ord float %v20, %v20
  %v39 = fcmp ugt float %v30, %v20
  %v40 = and i1 %v38, %v39
  %v41 = fcmp ord float %v22, %v22
  %v42 = fcmp ugt float %v31, %v22
  %v43 = and i1 %v41, %v42
  %v44 = select i1 %v34, float %v28, float %v16
  %v45 = select i1 %v37, float %v29, float %v18
  %v46 = select i1 %v40, float %v30, float %v20
  %v47 = select i1 %v43, float %v31, float %v22
  %v48 = select i1 %v34, i32 %v14, i32 %v17
  %v49 = select i1 %v37, i32 %v14, i32 %v19
  %v50 = select i1 %v40, i32 %v14, i32 %v21
  %v51 = select i1 %v43, i32 %v14, i32 %v23
  %v52 = add i32 %v14, 2048
  %v53 = getelementptr i8, ptr addrspace(1) %v15, i64 8192
  %v54 = icmp ult i32 %v14, 4096
  br i1 %v54, label %loop1, label %done2
done2:
  %v55 = call i32 @llvm.uadd.sat.i32(i32 %v49, i32 1)
  %v56 = call i32 @llvm.uadd.sat.i32(i32 %v50, i32 2)
  %v57 = call i32 @llvm.uadd.sat.i32(i32 %v51, i32 3)
  %v58 = fcmp ord float %v44, %v44
  %v59 = fcmp ugt float %v45, %v44
  %v60 = and i1 %v58, %v59
  %v61 = fcmp ord float %v45, %v45
  %v62 = fcmp ugt float %v44, %v45
  %v63 = and i1 %v61, %v62
  %v64 = icmp ult i32 %v55, %v48
  %v65 = xor i1 %v63, true
  %v66 = and i1 %v65, %v64
  %v67 = or i1 %v60, %v66
  %v68 = icmp eq i32 %v48, -1
  %v69 = or i1 %v68, %v67
  %v70 = icmp ne i32 %v55, -1
  %v71 = and i1 %v70, %v69
  %v72 = select i1 %v71, float %v45, float %v44
  %v73 = select i1 %v71, i32 %v55, i32 %v48
  %v74 = fcmp ord float %v46, %v46
  %v75 = fcmp ugt float %v47, %v46
  %v76 = and i1 %v74, %v75
  %v77 = fcmp ord float %v47, %v47
  %v78 = fcmp ugt float %v46, %v47
  %v79 = and i1 %v77, %v78
  %v80 = icmp ult i32 %v57, %v56
  %v81 = xor i1 %v79, true
  %v82 = and i1 %v81, %v80
  %v83 = or i1 %v76, %v82
  %v84 = icmp eq i32 %v56, -1
  %v85 = or i1 %v84, %v83
  %v86 = icmp ne i32 %v57, -1
  %v87 = and i1 %v86, %v85
  %v88 = select i1 %v87, float %v47, float %v46
  %v89 = select i1 %v87, i32 %v57, i32 %v56
  %v90 = fcmp ord float %v72, %v72
  %v91 = fcmp ugt float %v88, %v72
  %v92 = and i1 %v90, %v91
  %v93 = fcmp ord float %v88, %v88
  %v94 = fcmp ugt float %v72, %v88
  %v95 = and i1 %v93, %v94
  %v96 = icmp ult i32 %v89, %v73
  %v97 = xor i1 %v95, true
  %v98 = and i1 %v97, %v96
  %v99 = or i1 %v92, %v98
  %v100 = icmp eq i32 %v73, -1
  %v101 = or i1 %v100, %v99
  %v102 = icmp ne i32 %v89, -1
  %v103 = and i1 %v102, %v101
  %v104 = select i1 %v103, float %v88, float %v72
  %v105 = select i1 %v103, i32 %v89, i32 %v73
  %v106 = call i32 @llvm.uadd.sat.i32(i32 %v105, i32 %v9)
  %v107 = bitcast float %v104 to i32
  %v108 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v107, i32 177, i32 15, i32 15, i1 true)
  %v109 = bitcast i32 %v108 to float
  %v110 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v106, i32 177, i32 15, i32 15, i1 true)
  %v111 = fcmp ord float %v104, %v104
  %v112 = fcmp ugt float %v109, %v104
  %v113 = and i1 %v111, %v112
  %v114 = fcmp ord float %v109, %v109
  %v115 = fcmp ugt float %v104, %v109
  %v116 = and i1 %v114, %v115
  %v117 = icmp ult i32 %v110, %v106
  %v118 = xor i1 %v116, true
  %v119 = and i1 %v118, %v117
  %v120 = or i1 %v113, %v119
  %v121 = icmp eq i32 %v106, -1
  %v122 = or i1 %v121, %v120
  %v123 = icmp ne i32 %v110, -1
  %v124 = and i1 %v123, %v122
  %v125 = select i1 %v124, float %v109, float %v104
  %v126 = select i1 %v124, i32 %v110, i32 %v106
  %v127 = bitcast float %v125 to i32
  %v128 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v127, i32 78, i32 15, i32 15, i1 true)
  %v129 = bitcast i32 %v128 to float
  %v130 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v126, i32 78, i32 15, i32 15, i1 true)
  %v131 = fcmp ord float %v125, %v125
  %v132 = fcmp ugt float %v129, %v125
  %v133 = and i1 %v131, %v132
  %v134 = fcmp ord float %v129, %v129
  %v135 = fcmp ugt float %v125, %v129
  %v136 = and i1 %v134, %v135
  %v137 = icmp ult i32 %v130, %v126
  %v138 = xor i1 %v136, true
  %v139 = and i1 %v138, %v137
  %v140 = or i1 %v133, %v139
  %v141 = icmp eq i32 %v126, -1
  %v142 = or i1 %v141, %v140
  %v143 = icmp ne i32 %v130, -1
  %v144 = and i1 %v143, %v142
  %v145 = select i1 %v144, float %v129, float %v125
  %v146 = select i1 %v144, i32 %v130, i32 %v126
  %v147 = bitcast float %v145 to i32
  %v148 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v147, i32 296, i32 15, i32 15, i1 true)
  %v149 = bitcast i32 %v148 to float
  %v150 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v146, i32 296, i32 15, i32 15, i1 true)
  %v151 = fcmp ord float %v145, %v145
  %v152 = fcmp ugt float %v149, %v145
  %v153 = and i1 %v151, %v152
  %v154 = fcmp ord float %v149, %v149
  %v155 = fcmp ugt float %v145, %v149
  %v156 = and i1 %v154, %v155
  %v157 = icmp ult i32 %v150, %v146
  %v158 = xor i1 %v156, true
  %v159 = and i1 %v158, %v157
  %v160 = or i1 %v153, %v159
  %v161 = icmp eq i32 %v146, -1
  %v162 = or i1 %v161, %v160
  %v163 = icmp ne i32 %v150, -1
  %v164 = and i1 %v163, %v162
  %v165 = select i1 %v164, float %v149, float %v145
  %v166 = select i1 %v164, i32 %v150, i32 %v146
  %v167 = bitcast float %v165 to i32
  %v168 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v167, i32 321, i32 15, i32 15, i1 true)
  %v169 = bitcast i32 %v168 to float
  %v170 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v166, i32 321, i32 15, i32 15, i1 true)
  %v171 = fcmp ord float %v165, %v165
  %v172 = fcmp ugt float %v169, %v165
  %v173 = and i1 %v171, %v172
  %v174 = fcmp ord float %v169, %v169
  %v175 = fcmp ugt float %v165, %v169
  %v176 = and i1 %v174, %v175
  %v177 = icmp ult i32 %v170, %v166
  %v178 = xor i1 %v176, true
  %v179 = and i1 %v178, %v177
  %v180 = or i1 %v173, %v179
  %v181 = icmp eq i32 %v166, -1
  %v182 = or i1 %v181, %v180
  %v183 = icmp ne i32 %v170, -1
  %v184 = and i1 %v183, %v182
  %v185 = select i1 %v184, float %v169, float %v165
  %v186 = select i1 %v184, i32 %v170, i32 %v166
  %v187 = bitcast float %v185 to i32
  %v188 = call i32 @llvm.amdgcn.ds.swizzle(i32 %v187, i32 16415)
  %v189 = bitcast i32 %v188 to float
  %v190 = call i32 @llvm.amdgcn.ds.swizzle(i32 %v186, i32 16415)
  %v191 = fcmp ord float %v185, %v185
  %v192 = fcmp ugt float %v189, %v185
  %v193 = and i1 %v191, %v192
  %v194 = fcmp ord float %v189, %v189
  %v195 = fcmp ugt float %v185, %v189
  %v196 = and i1 %v194, %v195
  %v197 = icmp ult i32 %v190, %v186
  %v198 = xor i1 %v196, true
  %v199 = and i1 %v198, %v197
  %v200 = or i1 %v193, %v199
  %v201 = icmp eq i32 %v186, -1
  %v202 = or i1 %v201, %v200
  %v203 = icmp ne i32 %v190, -1
  %v204 = and i1 %v203, %v202
  %v205 = select i1 %v204, float %v189, float %v185
  %v206 = select i1 %v204, i32 %v190, i32 %v186
  %v207 = bitcast float %v205 to i32
  %v208 = xor i32 %v2, 32
  %v209 = shl i32 %v208, 2
  %v210 = call i32 @llvm.amdgcn.ds.bpermute(i32 %v209, i32 %v207)
  %v211 = bitcast i32 %v210 to float
  %v212 = xor i32 %v2, 32
  %v213 = shl i32 %v212, 2
  %v214 = call i32 @llvm.amdgcn.ds.bpermute(i32 %v213, i32 %v206)
  %v215 = fcmp ord float %v205, %v205
  %v216 = fcmp ugt float %v211, %v205
  %v217 = and i1 %v215, %v216
  %v218 = fcmp ord float %v211, %v211
  %v219 = fcmp ugt float %v205, %v211
  %v220 = and i1 %v218, %v219
  %v221 = icmp ult i32 %v214, %v206
  %v222 = xor i1 %v220, true
  %v223 = and i1 %v222, %v221
  %v224 = or i1 %v217, %v223
  %v225 = icmp eq i32 %v206, -1
  %v226 = or i1 %v225, %v224
  %v227 = icmp ne i32 %v214, -1
  %v228 = and i1 %v227, %v226
  %v229 = select i1 %v228, float %v211, float %v205
  %v230 = select i1 %v228, i32 %v214, i32 %v206
  %v231 = and i32 %v2, 63
  %v232 = icmp eq i32 %v231, 0
  %v233 = lshr i32 %v1, 6
  %v234 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v233)
  br i1 %v232, label %then3, label %after4
then3:
  %v235 = getelementptr [8 x i8], ptr addrspace(3) @partials_argmax_nan_70000xf32_2_11ce632db677dbc9, i32 %v234
  %v236 = bitcast float %v229 to i32
  %v237 = insertelement <2 x i32> poison, i32 %v236, i32 0
  %v238 = insertelement <2 x i32> %v237, i32 %v230, i32 1
  store <2 x i32> %v238, ptr addrspace(3) %v235, align 8
  br label %after4
after4:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v239 = icmp ult i32 %v1, 8
  br i1 %v239, label %then5, label %after6
then5:
  %v240 = getelementptr [8 x i8], ptr addrspace(3) @partials_argmax_nan_70000xf32_2_11ce632db677dbc9, i32 %v1
  %v241 = load <2 x i32>, ptr addrspace(3) %v240, align 8
  %v242 = extractelement <2 x i32> %v241, i32 0
  %v243 = extractelement <2 x i32> %v241, i32 1
  %v244 = bitcast i32 %v242 to float
  %v245 = bitcast float %v244 to i32
  %v246 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v245, i32 177, i32 15, i32 15, i1 true)
  %v247 = bitcast i32 %v246 to float
  %v248 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v243, i32 177, i32 15, i32 15, i1 true)
  %v249 = fcmp ord float %v244, %v244
  %v250 = fcmp ugt float %v247, %v244
  %v251 = and i1 %v249, %v250
  %v252 = fcmp ord float %v247, %v247
  %v253 = fcmp ugt float %v244, %v247
  %v254 = and i1 %v252, %v253
  %v255 = icmp ult i32 %v248, %v243
  %v256 = xor i1 %v254, true
  %v257 = and i1 %v256, %v255
  %v258 = or i1 %v251, %v257
  %v259 = icmp eq i32 %v243, -1
  %v260 = or i1 %v259, %v258
  %v261 = icmp ne i32 %v248, -1
  %v262 = and i1 %v261, %v260
  %v263 = select i1 %v262, float %v247, float %v244
  %v264 = select i1 %v262, i32 %v248, i32 %v243
  %v265 = bitcast float %v263 to i32
  %v266 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v265, i32 78, i32 15, i32 15, i1 true)
  %v267 = bitcast i32 %v266 to float
  %v268 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v264, i32 78, i32 15, i32 15, i1 true)
  %v269 = fcmp ord float %v263, %v263
  %v270 = fcmp ugt float %v267, %v263
  %v271 = and i1 %v269, %v270
  %v272 = fcmp ord float %v267, %v267
  %v273 = fcmp ugt float %v263, %v267
  %v274 = and i1 %v272, %v273
  %v275 = icmp ult i32 %v268, %v264
  %v276 = xor i1 %v274, true
  %v277 = and i1 %v276, %v275
  %v278 = or i1 %v271, %v277
  %v279 = icmp eq i32 %v264, -1
  %v280 = or i1 %v279, %v278
  %v281 = icmp ne i32 %v268, -1
  %v282 = and i1 %v281, %v280
  %v283 = select i1 %v282, float %v267, float %v263
  %v284 = select i1 %v282, i32 %v268, i32 %v264
  %v285 = bitcast float %v283 to i32
  %v286 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v285, i32 321, i32 15, i32 15, i1 true)
  %v287 = bitcast i32 %v286 to float
  %v288 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v284, i32 321, i32 15, i32 15, i1 true)
  %v289 = fcmp ord float %v283, %v283
  %v290 = fcmp ugt float %v287, %v283
  %v291 = and i1 %v289, %v290
  %v292 = fcmp ord float %v287, %v287
  %v293 = fcmp ugt float %v283, %v287
  %v294 = and i1 %v292, %v293
  %v295 = icmp ult i32 %v288, %v284
  %v296 = xor i1 %v294, true
  %v297 = and i1 %v296, %v295
  %v298 = or i1 %v291, %v297
  %v299 = icmp eq i32 %v284, -1
  %v300 = or i1 %v299, %v298
  %v301 = icmp ne i32 %v288, -1
  %v302 = and i1 %v301, %v300
  %v303 = select i1 %v302, float %v287, float %v283
  %v304 = select i1 %v302, i32 %v288, i32 %v284
  %v305 = and i32 %v1, 7
  %v306 = lshr i32 %v1, 3
  %v307 = icmp eq i32 %v305, 0
  br i1 %v307, label %then7, label %after8
then7:
  %v308 = zext i32 %v4 to i64
  %v309 = shl i64 %v308, 3
  %v310 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v309
  %v311 = bitcast float %v303 to i32
  %v312 = insertelement <2 x i32> poison, i32 %v311, i32 0
  %v313 = insertelement <2 x i32> %v312, i32 %v304, i32 1
  store <2 x i32> %v313, ptr addrspace(1) %v310, align 8
  br label %after8
after8:
  br label %after6
after6:
  %v314 = getelementptr i8, ptr addrspace(1) %workspace, i64 128
  %v315 = zext i32 %v5 to i64
  %v316 = shl i64 %v315, 2
  %v317 = getelementptr i8, ptr addrspace(1) %v314, i64 %v316
  fence syncscope("agent") release
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v318 = icmp eq i32 %v1, 0
  br i1 %v318, label %then9, label %after10
then9:
  %v319 = atomicrmw add ptr addrspace(1) %v317, i32 1 syncscope("agent") acq_rel
  store i32 %v319, ptr addrspace(3) @arrived_argmax_nan_70000xf32_2_11ce632db677dbc9, align 4
  br label %after10
after10:
  %v320 = phi i32 [ 0, %after6 ], [ %v319, %then9 ]
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v321 = load i32, ptr addrspace(3) @arrived_argmax_nan_70000xf32_2_11ce632db677dbc9, align 4
  %v322 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v321)
  %v323 = icmp eq i32 %v322, 15
  br i1 %v323, label %then11, label %after12
then11:
  fence syncscope("agent") acquire
  %v324 = icmp eq i32 %v1, 0
  br i1 %v324, label %then13, label %after14
then13:
  store i32 0, ptr addrspace(1) %v317, align 4
  br label %after14
after14:
  %v325 = icmp ult i32 %v1, 16
  br i1 %v325, label %then15, label %after16
then15:
  %v326 = and i32 %v1, 15
  %v327 = lshr i32 %v1, 4
  %v328 = zext i32 %v326 to i64
  %v329 = shl i64 %v328, 3
  %v330 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v329
  %v331 = load <2 x i32>, ptr addrspace(1) %v330, align 8
  %v332 = extractelement <2 x i32> %v331, i32 0
  %v333 = extractelement <2 x i32> %v331, i32 1
  %v334 = bitcast i32 %v332 to float
  %v335 = bitcast float %v334 to i32
  %v336 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v335, i32 177, i32 15, i32 15, i1 true)
  %v337 = bitcast i32 %v336 to float
  %v338 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v333, i32 177, i32 15, i32 15, i1 true)
  %v339 = fcmp ord float %v334, %v334
  %v340 = fcmp ugt float %v337, %v334
  %v341 = and i1 %v339, %v340
  %v342 = fcmp ord float %v337, %v337
  %v343 = fcmp ugt float %v334, %v337
  %v344 = and i1 %v342, %v343
  %v345 = icmp ult i32 %v338, %v333
  %v346 = xor i1 %v344, true
  %v347 = and i1 %v346, %v345
  %v348 = or i1 %v341, %v347
  %v349 = icmp eq i32 %v333, -1
  %v350 = or i1 %v349, %v348
  %v351 = icmp ne i32 %v338, -1
  %v352 = and i1 %v351, %v350
  %v353 = select i1 %v352, float %v337, float %v334
  %v354 = select i1 %v352, i32 %v338, i32 %v333
  %v355 = bitcast float %v353 to i32
  %v356 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v355, i32 78, i32 15, i32 15, i1 true)
  %v357 = bitcast i32 %v356 to float
  %v358 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v354, i32 78, i32 15, i32 15, i1 true)
  %v359 = fcmp ord float %v353, %v353
  %v360 = fcmp ugt float %v357, %v353
  %v361 = and i1 %v359, %v360
  %v362 = fcmp ord float %v357, %v357
  %v363 = fcmp ugt float %v353, %v357
  %v364 = and i1 %v362, %v363
  %v365 = icmp ult i32 %v358, %v354
  %v366 = xor i1 %v364, true
  %v367 = and i1 %v366, %v365
  %v368 = or i1 %v361, %v367
  %v369 = icmp eq i32 %v354, -1
  %v370 = or i1 %v369, %v368
  %v371 = icmp ne i32 %v358, -1
  %v372 = and i1 %v371, %v370
  %v373 = select i1 %v372, float %v357, float %v353
  %v374 = select i1 %v372, i32 %v358, i32 %v354
  %v375 = bitcast float %v373 to i32
  %v376 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v375, i32 296, i32 15, i32 15, i1 true)
  %v377 = bitcast i32 %v376 to float
  %v378 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v374, i32 296, i32 15, i32 15, i1 true)
  %v379 = fcmp ord float %v373, %v373
  %v380 = fcmp ugt float %v377, %v373
  %v381 = and i1 %v379, %v380
  %v382 = fcmp ord float %v377, %v377
  %v383 = fcmp ugt float %v373, %v377
  %v384 = and i1 %v382, %v383
  %v385 = icmp ult i32 %v378, %v374
  %v386 = xor i1 %v384, true
  %v387 = and i1 %v386, %v385
  %v388 = or i1 %v381, %v387
  %v389 = icmp eq i32 %v374, -1
  %v390 = or i1 %v389, %v388
  %v391 = icmp ne i32 %v378, -1
  %v392 = and i1 %v391, %v390
  %v393 = select i1 %v392, float %v377, float %v373
  %v394 = select i1 %v392, i32 %v378, i32 %v374
  %v395 = bitcast float %v393 to i32
  %v396 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v395, i32 321, i32 15, i32 15, i1 true)
  %v397 = bitcast i32 %v396 to float
  %v398 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v394, i32 321, i32 15, i32 15, i1 true)
  %v399 = fcmp ord float %v393, %v393
  %v400 = fcmp ugt float %v397, %v393
  %v401 = and i1 %v399, %v400
  %v402 = fcmp ord float %v397, %v397
  %v403 = fcmp ugt float %v393, %v397
  %v404 = and i1 %v402, %v403
  %v405 = icmp ult i32 %v398, %v394
  %v406 = xor i1 %v404, true
  %v407 = and i1 %v406, %v405
  %v408 = or i1 %v401, %v407
  %v409 = icmp eq i32 %v394, -1
  %v410 = or i1 %v409, %v408
  %v411 = icmp ne i32 %v398, -1
  %v412 = and i1 %v411, %v410
  %v413 = select i1 %v412, float %v397, float %v393
  %v414 = select i1 %v412, i32 %v398, i32 %v394
  %v415 = icmp eq i32 %v326, 0
  br i1 %v415, label %then17, label %after18
then17:
  %v416 = icmp ne i32 %v414, -1
  %v417 = select i1 %v416, i32 %v414, i32 0
  store float %v413, ptr addrspace(1) %values, align 4
  store i32 %v417, ptr addrspace(1) %indices, align 4
  br label %after18
after18:
  br label %after16
after16:
  br label %after12
after12:
  ret void
}

declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.ds.swizzle(i32, i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.uadd.sat.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare void @llvm.amdgcn.s.barrier()

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="512,512" "target-features"="+wavefrontsize64" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 512, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
