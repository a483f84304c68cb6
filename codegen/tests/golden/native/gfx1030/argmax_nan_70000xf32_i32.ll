target triple = "amdgcn-amd-amdhsa"

@partials_argmax_nan_70000xf32_425002e56e821bd6 = internal addrspace(3) global [64 x i8] poison, align 16

@arrived_argmax_nan_70000xf32_425002e56e821bd6 = internal addrspace(3) global [4 x i8] poison, align 16

define protected amdgpu_kernel void @argmax_nan_70000xf32_425002e56e821bd6(ptr addrspace(1) noalias readonly %input, ptr addrspace(1) noalias %values, ptr addrspace(1) noalias %indices, ptr addrspace(1) %workspace) #0 !reqd_work_group_size !0 {
entry:
  %v1 = call i32 @llvm.amdgcn.workitem.id.x()
  %v2 = and i32 %v1, 31
  %v3 = lshr i32 %v1, 5
  %v4 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v3)
  %v5 = call i32 @llvm.amdgcn.workgroup.id.x()
  %v6 = and i32 %v5, 15
  %v7 = lshr i32 %v5, 4
  %v8 = mul i32 %v6, 6144
  %v9 = call i32 @llvm.umin.i32(i32 %v8, i32 63856)
  %v10 = shl i32 %v2, 2
  %v11 = shl i32 %v4, 8
  %v12 = add i32 %v10, %v11
  %v13 = add i32 %v9, %v12
  %v14 = shl i32 %v9, 2
  %v15 = shl i32 %v11, 2
  %v16 = add i32 %v14, %v15
  %v17 = zext i32 %v16 to i64
  %v18 = shl i32 %v10, 2
  %v19 = getelementptr i8, ptr addrspace(1) %input, i64 %v17
  br label %step1
step1:
  %v20 = phi i32 [ 0, %entry ], [ %v85, %step1 ]
  %v21 = phi ptr addrspace(1) [ %v19, %entry ], [ %v86, %step1 ]
  %v22 = phi float [ 0xFFF0000000000000, %entry ], [ %v77, %step1 ]
  %v23 = phi i32 [ -1, %entry ], [ %v81, %step1 ]
  %v24 = phi float [ 0xFFF0000000000000, %entry ], [ %v78, %step1 ]
  %v25 = phi i32 [ -1, %entry ], [ %v82, %step1 ]
  %v26 = phi float [ 0xFFF0000000000000, %entry ], [ %v79, %step1 ]
  %v27 = phi i32 [ -1, %entry ], [ %v83, %step1 ]
  %v28 = phi float [ 0xFFF0000000000000, %entry ], [ %v80, %step1 ]
  %v29 = phi i32 [ -1, %entry ], [ %v84, %step1 ]
  %v30 = zext i32 %v18 to i64
  %v31 = call ptr addrspace(1) asm "", "=s,0"(ptr addrspace(1) %v21)
  %v32 = getelementptr i8, ptr addrspace(1) %v31, i64 %v30
  %v33 = load <4 x float>, ptr addrspace(1) %v32, align 4
  %v34 = getelementptr i8, ptr addrspace(1) %v32, i64 512
  %v35 = load <4 x float>, ptr addrspace(1) %v34, align 4
  %v36 = add i32 %v20, 128
  %v37 = extractelement <4 x float> %v33, i32 0
  %v38 = extractelement <4 x float> %v33, i32 1
  %v39 = extractelement <4 x float> %v33, i32 2
  %v40 = extractelement <4 x float> %v33, i32 3
  %v41 = fcmp ord float %v22, %v22
  %v42 = fcmp ugt float %v37, %v22
  %v43 = and i1 %v41, %v42
  %v44 = fcmp ord float %v24, %v24
  %v45 = fcmp ugt float %v38, %v24
  %v46 = and i1 %v44, %v45
  %v47 = fcmp ord float %v26, %v26
  %v48 = fcmp ugt float %v39, %v26
  %v49 = and i1 %v47, %v48
  %v50 = fcmp ord float %v28, %v28
  %v51 = fcmp ugt float %v40, %v28
  %v52 = and i1 %v50, %v51
  %v53 = select i1 %v43, float %v37, float %v22
  %v54 = select i1 %v46, float %v38, float %v24
  %v55 = select i1 %v49, float %v39, float %v26
  %v56 = select i1 %v52, float %v40, float %v28
  %v57 = select i1 %v43, i32 %v20, i32 %v23
  %v58 = select i1 %v46, i32 %v20, i32 %v25
  %v59 = select i1 %v49, i32 %v20, i32 %v27
  %v60 = select i1 %v52, i32 %v20, i32 %v29
  %v61 = extractelement <4 x float> %v35, i32 0
  %v62 = extractelement <4 x float> %v35, i32 1
  %v63 = extractelement <4 x float> %v35, i32 2
  %v64 = extractelement <4 x float> %v35, i32 3
  %v65 = fcmp ord float %v53, %v53
  %v66 = fcmp ugt float %v61, %v53
  %v67 = and i1 %v65, %v66
  %v68 = fcmp ord float %v54, %v54
  %v69 = fcmp ugt float %v62, %v54
  %v70 = and i1 %v68, %v69
  %v71 = fcmp ord float %v55, %v55
  %v72 = fcmp ugt float %v63, %v55
  %v73 = and i1 %v71, %v72
  %v74 = fcmp ord float %v56, %v56
  %v75 = fcmp ugt float %v64, %v56
  %v76 = and i1 %v74, %v75
  %v77 = select i1 %v67, float %v61, float %v53
  %v78 = select i1 %v70, float %v62, float %v54
  %v79 = select i1 %v73, float %v63, float %v55
  %v80 = select i1 %v76, float %v64, float %v56
  %v81 = select i1 %v67, i32 %v36, i32 %v57
  %v82 = select i1 %v70, i32 %v36, i32 %v58
  %v83 = select i1 %v73, i32 %v36, i32 %v59
  %v84 = select i1 %v76, i32 %v36, i32 %v60
  %v85 = add i32 %v20, 2048
  %v86 = getelementptr i8, ptr addrspace(1) %v21, i64 8192
  %v87 = icmp ult i32 %v20, 4096
  br i1 %v87, label %step1, label %reduced2
reduced2:
  %v88 = call i32 @llvm.uadd.sat.i32(i32 %v82, i32 1)
  %v89 = call i32 @llvm.uadd.sat.i32(i32 %v83, i32 2)
  %v90 = call i32 @llvm.uadd.sat.i32(i32 %v84, i32 3)
  %v91 = fcmp ord float %v77, %v77
  %v92 = fcmp ugt float %v78, %v77
  %v93 = and i1 %v91, %v92
  %v94 = fcmp ord float %v78, %v78
  %v95 = fcmp ugt float %v77, %v78
  %v96 = and i1 %v94, %v95
  %v97 = icmp ult i32 %v88, %v81
  %v98 = xor i1 %v96, true
  %v99 = and i1 %v98, %v97
  %v100 = or i1 %v93, %v99
  %v101 = icmp eq i32 %v81, -1
  %v102 = or i1 %v101, %v100
  %v103 = icmp ne i32 %v88, -1
  %v104 = and i1 %v103, %v102
  %v105 = select i1 %v104, float %v78, float %v77
  %v106 = select i1 %v104, i32 %v88, i32 %v81
  %v107 = fcmp ord float %v79, %v79
  %v108 = fcmp ugt float %v80, %v79
  %v109 = and i1 %v107, %v108
  %v110 = fcmp ord float %v80, %v80
  %v111 = fcmp ugt float %v79, %v80
  %v112 = and i1 %v110, %v111
  %v113 = icmp ult i32 %v90, %v89
  %v114 = xor i1 %v112, true
  %v115 = and i1 %v114, %v113
  %v116 = or i1 %v109, %v115
  %v117 = icmp eq i32 %v89, -1
  %v118 = or i1 %v117, %v116
  %v119 = icmp ne i32 %v90, -1
  %v120 = and i1 %v119, %v118
  %v121 = select i1 %v120, float %v80, float %v79
  %v122 = select i1 %v120, i32 %v90, i32 %v89
  %v123 = fcmp ord float %v105, %v105
  %v124 = fcmp ugt float %v121, %v105
  %v125 = and i1 %v123, %v124
  %v126 = fcmp ord float %v121, %v121
  %v127 = fcmp ugt float %v105, %v121
  %v128 = and i1 %v126, %v127
  %v129 = icmp ult i32 %v122, %v106
  %v130 = xor i1 %v128, true
  %v131 = and i1 %v130, %v129
  %v132 = or i1 %v125, %v131
  %v133 = icmp eq i32 %v106, -1
  %v134 = or i1 %v133, %v132
  %v135 = icmp ne i32 %v122, -1
  %v136 = and i1 %v135, %v134
  %v137 = select i1 %v136, float %v121, float %v105
  %v138 = select i1 %v136, i32 %v122, i32 %v106
  %v139 = call i32 @llvm.uadd.sat.i32(i32 %v138, i32 %v13)
  %v140 = bitcast float %v137 to i32
  %v141 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v140, i32 353, i32 15, i32 15, i1 true)
  %v142 = bitcast i32 %v141 to float
  %v143 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v139, i32 353, i32 15, i32 15, i1 true)
  %v144 = fcmp ord float %v137, %v137
  %v145 = fcmp ugt float %v142, %v137
  %v146 = and i1 %v144, %v145
  %v147 = fcmp ord float %v142, %v142
  %v148 = fcmp ugt float %v137, %v142
  %v149 = and i1 %v147, %v148
  %v150 = icmp ult i32 %v143, %v139
  %v151 = xor i1 %v149, true
  %v152 = and i1 %v151, %v150
  %v153 = or i1 %v146, %v152
  %v154 = icmp eq i32 %v139, -1
  %v155 = or i1 %v154, %v153
  %v156 = icmp ne i32 %v143, -1
  %v157 = and i1 %v156, %v155
  %v158 = select i1 %v157, float %v142, float %v137
  %v159 = select i1 %v157, i32 %v143, i32 %v139
  %v160 = bitcast float %v158 to i32
  %v161 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v160, i32 354, i32 15, i32 15, i1 true)
  %v162 = bitcast i32 %v161 to float
  %v163 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v159, i32 354, i32 15, i32 15, i1 true)
  %v164 = fcmp ord float %v158, %v158
  %v165 = fcmp ugt float %v162, %v158
  %v166 = and i1 %v164, %v165
  %v167 = fcmp ord float %v162, %v162
  %v168 = fcmp ugt float %v158, %v162
  %v169 = and i1 %v167, %v168
  %v170 = icmp ult i32 %v163, %v159
  %v171 = xor i1 %v169, true
  %v172 = and i1 %v171, %v170
  %v173 = or i1 %v166, %v172
  %v174 = icmp eq i32 %v159, -1
  %v175 = or i1 %v174, %v173
  %v176 = icmp ne i32 %v163, -1
  %v177 = and i1 %v176, %v175
  %v178 = select i1 %v177, float %v162, float %v158
  %v179 = select i1 %v177, i32 %v163, i32 %v159
  %v180 = bitcast float %v178 to i32
  %v181 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v180, i32 356, i32 15, i32 15, i1 true)
  %v182 = bitcast i32 %v181 to float
  %v183 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v179, i32 356, i32 15, i32 15, i1 true)
  %v184 = fcmp ord float %v178, %v178
  %v185 = fcmp ugt float %v182, %v178
  %v186 = and i1 %v184, %v185
  %v187 = fcmp ord float %v182, %v182
  %v188 = fcmp ugt float %v178, %v182
  %v189 = and i1 %v187, %v188
  %v190 = icmp ult i32 %v183, %v179
  %v191 = xor i1 %v189, true
  %v192 = and i1 %v191, %v190
  %v193 = or i1 %v186, %v192
  %v194 = icmp eq i32 %v179, -1
  %v195 = or i1 %v194, %v193
  %v196 = icmp ne i32 %v183, -1
  %v197 = and i1 %v196, %v195
  %v198 = select i1 %v197, float %v182, float %v178
  %v199 = select i1 %v197, i32 %v183, i32 %v179
  %v200 = bitcast float %v198 to i32
  %v201 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v200, i32 360, i32 15, i32 15, i1 true)
  %v202 = bitcast i32 %v201 to float
  %v203 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v199, i32 360, i32 15, i32 15, i1 true)
  %v204 = fcmp ord float %v198, %v198
  %v205 = fcmp ugt float %v202, %v198
  %v206 = and i1 %v204, %v205
  %v207 = fcmp ord float %v202, %v202
  %v208 = fcmp ugt float %v198, %v202
  %v209 = and i1 %v207, %v208
  %v210 = icmp ult i32 %v203, %v199
  %v211 = xor i1 %v209, true
  %v212 = and i1 %v211, %v210
  %v213 = or i1 %v206, %v212
  %v214 = icmp eq i32 %v199, -1
  %v215 = or i1 %v214, %v213
  %v216 = icmp ne i32 %v203, -1
  %v217 = and i1 %v216, %v215
  %v218 = select i1 %v217, float %v202, float %v198
  %v219 = select i1 %v217, i32 %v203, i32 %v199
  %v220 = bitcast float %v218 to i32
  %v221 = call i32 @llvm.amdgcn.permlanex16.i32(i32 poison, i32 %v220, i32 1985229328, i32 -19088744, i1 false, i1 false)
  %v222 = bitcast i32 %v221 to float
  %v223 = call i32 @llvm.amdgcn.permlanex16.i32(i32 poison, i32 %v219, i32 1985229328, i32 -19088744, i1 false, i1 false)
  %v224 = fcmp ord float %v218, %v218
  %v225 = fcmp ugt float %v222, %v218
  %v226 = and i1 %v224, %v225
  %v227 = fcmp ord float %v222, %v222
  %v228 = fcmp ugt float %v218, %v222
  %v229 = and i1 %v227, %v228
  %v230 = icmp ult i32 %v223, %v219
  %v231 = xor i1 %v229, true
  %v232 = and i1 %v231, %v230
  %v233 = or i1 %v226, %v232
  %v234 = icmp eq i32 %v219, -1
  %v235 = or i1 %v234, %v233
  %v236 = icmp ne i32 %v223, -1
  %v237 = and i1 %v236, %v235
  %v238 = select i1 %v237, float %v222, float %v218
  %v239 = select i1 %v237, i32 %v223, i32 %v219
  %v240 = and i32 %v2, 31
  %v241 = icmp eq i32 %v240, 0
  %v242 = lshr i32 %v1, 5
  %v243 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v242)
  br i1 %v241, label %guarded3, label %after4
guarded3:
  %v244 = getelementptr [8 x i8], ptr addrspace(3) @partials_argmax_nan_70000xf32_425002e56e821bd6, i32 %v243
  %v245 = bitcast float %v238 to i32
  %v246 = insertelement <2 x i32> poison, i32 %v245, i32 0
  %v247 = insertelement <2 x i32> %v246, i32 %v239, i32 1
  store <2 x i32> %v247, ptr addrspace(3) %v244, align 8
  br label %after4
after4:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v248 = icmp ult i32 %v1, 8
  br i1 %v248, label %guarded5, label %after6
guarded5:
  %v249 = getelementptr [8 x i8], ptr addrspace(3) @partials_argmax_nan_70000xf32_425002e56e821bd6, i32 %v1
  %v250 = load <2 x i32>, ptr addrspace(3) %v249, align 8
  %v251 = extractelement <2 x i32> %v250, i32 0
  %v252 = extractelement <2 x i32> %v250, i32 1
  %v253 = bitcast i32 %v251 to float
  %v254 = bitcast float %v253 to i32
  %v255 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v254, i32 353, i32 15, i32 15, i1 true)
  %v256 = bitcast i32 %v255 to float
  %v257 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v252, i32 353, i32 15, i32 15, i1 true)
  %v258 = fcmp ord float %v253, %v253
  %v259 = fcmp ugt float %v256, %v253
  %v260 = and i1 %v258, %v259
  %v261 = fcmp ord float %v256, %v256
  %v262 = fcmp ugt float %v253, %v256
  %v263 = and i1 %v261, %v262
  %v264 = icmp ult i32 %v257, %v252
  %v265 = xor i1 %v263, true
  %v266 = and i1 %v265, %v264
  %v267 = or i1 %v260, %v266
  %v268 = icmp eq i32 %v252, -1
  %v269 = or i1 %v268, %v267
  %v270 = icmp ne i32 %v257, -1
  %v271 = and i1 %v270, %v269
  %v272 = select i1 %v271, float %v256, float %v253
  %v273 = select i1 %v271, i32 %v257, i32 %v252
  %v274 = bitcast float %v272 to i32
  %v275 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v274, i32 354, i32 15, i32 15, i1 true)
  %v276 = bitcast i32 %v275 to float
  %v277 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v273, i32 354, i32 15, i32 15, i1 true)
  %v278 = fcmp ord float %v272, %v272
  %v279 = fcmp ugt float %v276, %v272
  %v280 = and i1 %v278, %v279
  %v281 = fcmp ord float %v276, %v276
  %v282 = fcmp ugt float %v272, %v276
  %v283 = and i1 %v281, %v282
  %v284 = icmp ult i32 %v277, %v273
  %v285 = xor i1 %v283, true
  %v286 = and i1 %v285, %v284
  %v287 = or i1 %v280, %v286
  %v288 = icmp eq i32 %v273, -1
  %v289 = or i1 %v288, %v287
  %v290 = icmp ne i32 %v277, -1
  %v291 = and i1 %v290, %v289
  %v292 = select i1 %v291, float %v276, float %v272
  %v293 = select i1 %v291, i32 %v277, i32 %v273
  %v294 = bitcast float %v292 to i32
  %v295 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v294, i32 356, i32 15, i32 15, i1 true)
  %v296 = bitcast i32 %v295 to float
  %v297 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v293, i32 356, i32 15, i32 15, i1 true)
  %v298 = fcmp ord float %v292, %v292
  %v299 = fcmp ugt float %v296, %v292
  %v300 = and i1 %v298, %v299
  %v301 = fcmp ord float %v296, %v296
  %v302 = fcmp ugt float %v292, %v296
  %v303 = and i1 %v301, %v302
  %v304 = icmp ult i32 %v297, %v293
  %v305 = xor i1 %v303, true
  %v306 = and i1 %v305, %v304
  %v307 = or i1 %v300, %v306
  %v308 = icmp eq i32 %v293, -1
  %v309 = or i1 %v308, %v307
  %v310 = icmp ne i32 %v297, -1
  %v311 = and i1 %v310, %v309
  %v312 = select i1 %v311, float %v296, float %v292
  %v313 = select i1 %v311, i32 %v297, i32 %v293
  %v314 = and i32 %v1, 7
  %v315 = lshr i32 %v1, 3
  %v316 = icmp eq i32 %v314, 0
  br i1 %v316, label %guarded7, label %after8
guarded7:
  %v317 = zext i32 %v6 to i64
  %v318 = shl i64 %v317, 3
  %v319 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v318
  %v320 = bitcast float %v312 to i32
  %v321 = insertelement <2 x i32> poison, i32 %v320, i32 0
  %v322 = insertelement <2 x i32> %v321, i32 %v313, i32 1
  store <2 x i32> %v322, ptr addrspace(1) %v319, align 8
  br label %after8
after8:
  br label %after6
after6:
  %v323 = getelementptr i8, ptr addrspace(1) %workspace, i64 128
  %v324 = zext i32 %v7 to i64
  %v325 = shl i64 %v324, 2
  %v326 = getelementptr i8, ptr addrspace(1) %v323, i64 %v325
  fence syncscope("agent") release
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v327 = icmp eq i32 %v1, 0
  br i1 %v327, label %guarded9, label %after10
guarded9:
  %v328 = atomicrmw add ptr addrspace(1) %v326, i32 1 syncscope("agent") acq_rel
  store i32 %v328, ptr addrspace(3) @arrived_argmax_nan_70000xf32_425002e56e821bd6, align 4
  br label %after10
after10:
  %v329 = phi i32 [ 0, %after6 ], [ %v328, %guarded9 ]
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v330 = load i32, ptr addrspace(3) @arrived_argmax_nan_70000xf32_425002e56e821bd6, align 4
  %v331 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %v330)
  %v332 = icmp eq i32 %v331, 15
  br i1 %v332, label %guarded11, label %after12
guarded11:
  fence syncscope("agent") acquire
  %v333 = icmp eq i32 %v1, 0
  br i1 %v333, label %guarded13, label %after14
guarded13:
  store i32 0, ptr addrspace(1) %v326, align 4
  br label %after14
after14:
  %v334 = icmp ult i32 %v1, 16
  br i1 %v334, label %guarded15, label %after16
guarded15:
  %v335 = and i32 %v1, 15
  %v336 = lshr i32 %v1, 4
  %v337 = zext i32 %v335 to i64
  %v338 = shl i64 %v337, 3
  %v339 = getelementptr i8, ptr addrspace(1) %workspace, i64 %v338
  %v340 = load <2 x i32>, ptr addrspace(1) %v339, align 8
  %v341 = extractelement <2 x i32> %v340, i32 0
  %v342 = extractelement <2 x i32> %v340, i32 1
  %v343 = bitcast i32 %v341 to float
  %v344 = bitcast float %v343 to i32
  %v345 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v344, i32 353, i32 15, i32 15, i1 true)
  %v346 = bitcast i32 %v345 to float
  %v347 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v342, i32 353, i32 15, i32 15, i1 true)
  %v348 = fcmp ord float %v343, %v343
  %v349 = fcmp ugt float %v346, %v343
  %v350 = and i1 %v348, %v349
  %v351 = fcmp ord float %v346, %v346
  %v352 = fcmp ugt float %v343, %v346
  %v353 = and i1 %v351, %v352
  %v354 = icmp ult i32 %v347, %v342
  %v355 = xor i1 %v353, true
  %v356 = and i1 %v355, %v354
  %v357 = or i1 %v350, %v356
  %v358 = icmp eq i32 %v342, -1
  %v359 = or i1 %v358, %v357
  %v360 = icmp ne i32 %v347, -1
  %v361 = and i1 %v360, %v359
  %v362 = select i1 %v361, float %v346, float %v343
  %v363 = select i1 %v361, i32 %v347, i32 %v342
  %v364 = bitcast float %v362 to i32
  %v365 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v364, i32 354, i32 15, i32 15, i1 true)
  %v366 = bitcast i32 %v365 to float
  %v367 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v363, i32 354, i32 15, i32 15, i1 true)
  %v368 = fcmp ord float %v362, %v362
  %v369 = fcmp ugt float %v366, %v362
  %v370 = and i1 %v368, %v369
  %v371 = fcmp ord float %v366, %v366
  %v372 = fcmp ugt float %v362, %v366
  %v373 = and i1 %v371, %v372
  %v374 = icmp ult i32 %v367, %v363
  %v375 = xor i1 %v373, true
  %v376 = and i1 %v375, %v374
  %v377 = or i1 %v370, %v376
  %v378 = icmp eq i32 %v363, -1
  %v379 = or i1 %v378, %v377
  %v380 = icmp ne i32 %v367, -1
  %v381 = and i1 %v380, %v379
  %v382 = select i1 %v381, float %v366, float %v362
  %v383 = select i1 %v381, i32 %v367, i32 %v363
  %v384 = bitcast float %v382 to i32
  %v385 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v384, i32 356, i32 15, i32 15, i1 true)
  %v386 = bitcast i32 %v385 to float
  %v387 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v383, i32 356, i32 15, i32 15, i1 true)
  %v388 = fcmp ord float %v382, %v382
  %v389 = fcmp ugt float %v386, %v382
  %v390 = and i1 %v388, %v389
  %v391 = fcmp ord float %v386, %v386
  %v392 = fcmp ugt float %v382, %v386
  %v393 = and i1 %v391, %v392
  %v394 = icmp ult i32 %v387, %v383
  %v395 = xor i1 %v393, true
  %v396 = and i1 %v395, %v394
  %v397 = or i1 %v390, %v396
  %v398 = icmp eq i32 %v383, -1
  %v399 = or i1 %v398, %v397
  %v400 = icmp ne i32 %v387, -1
  %v401 = and i1 %v400, %v399
  %v402 = select i1 %v401, float %v386, float %v382
  %v403 = select i1 %v401, i32 %v387, i32 %v383
  %v404 = bitcast float %v402 to i32
  %v405 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v404, i32 360, i32 15, i32 15, i1 true)
  %v406 = bitcast i32 %v405 to float
  %v407 = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %v403, i32 360, i32 15, i32 15, i1 true)
  %v408 = fcmp ord float %v402, %v402
  %v409 = fcmp ugt float %v406, %v402
  %v410 = and i1 %v408, %v409
  %v411 = fcmp ord float %v406, %v406
  %v412 = fcmp ugt float %v402, %v406
  %v413 = and i1 %v411, %v412
  %v414 = icmp ult i32 %v407, %v403
  %v415 = xor i1 %v413, true
  %v416 = and i1 %v415, %v414
  %v417 = or i1 %v410, %v416
  %v418 = icmp eq i32 %v403, -1
  %v419 = or i1 %v418, %v417
  %v420 = icmp ne i32 %v407, -1
  %v421 = and i1 %v420, %v419
  %v422 = select i1 %v421, float %v406, float %v402
  %v423 = select i1 %v421, i32 %v407, i32 %v403
  %v424 = icmp eq i32 %v335, 0
  br i1 %v424, label %guarded17, label %after18
guarded17:
  %v425 = icmp ne i32 %v423, -1
  %v426 = select i1 %v425, i32 %v423, i32 0
  store float %v422, ptr addrspace(1) %values, align 4
  store i32 %v426, ptr addrspace(1) %indices, align 4
  br label %after18
after18:
  br label %after16
after16:
  br label %after12
after12:
  ret void
}

declare i32 @llvm.amdgcn.permlanex16.i32(i32, i32, i32, i32, i1, i1)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare void @llvm.amdgcn.s.barrier()
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.uadd.sat.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="256,256" "target-features"="+wavefrontsize32" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-lds-kernel-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-flat-scratch-init" "amdgpu-no-agpr" "amdgpu-no-workgroup-id-y" }
!0 = !{i32 256, i32 1, i32 1}

!llvm.module.flags = !{!1}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}
