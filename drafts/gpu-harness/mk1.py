from gen import *
import shutil
V={n:open(f'harness/v/{n}').read() for n in os.listdir('harness/v')}
SH=227*1024
groups=[]; files={}; pending=[]
def flatp(k): return [V['flat_sm90.cuh'] if 'FLAT_PARTS, FLAT_X_STAGES, FLAT_W_STAGES (of' in p else p for p in k['pieces']]
def last(k,n): return k['pieces'][:-1]+[V[n]]
FL={"attention.qkv":(4096,6144),"attention.output":(4096,4096),"ffn.gate_up":(4096,28672),"ffn.down":(14336,4096),"head.logits":(4096,128256)}
def flops(rows,label): 
    return 2*rows*FL[label][0]*FL[label][1] if label in FL else 0
def add(tests,model,rows,label,kernel,name,defines=None,pieces=None,base=True,**kw):
    k=find(model,rows,label,kernel); t=text(k,defines,pieces)
    e=dict(kind="cmd",rows=rows,label=label,kernel=kernel,name=name,flops=flops(rows,label),f32=kernel in("matmul","matmul_add"),**kw)
    tests.append(e); pending.append((e,kernel,t))
def planes(k,m,n,parts,panels=None,chunk=None,step=None,rows=256,xs=None):
    split=k["defines"]["FLAT_SPLIT"]; ranks=split//parts; c=k["consts"]; paired=2 if k["name"]=="matmul_glu" else 1
    K=c["k"]; N=c.get("n") or c.get("f"); row=144 if c["dtype"]==2 else None
    if row is None: row=k["row"]
    panels=panels or (4 if n<=32 else 2); cons=m//64*parts; step=step or (1 if n>64 and cons>2 else 2)
    cm=chunk or 8; ch=min(n//8,cm); each=max(ch//split,1)
    sums=-(-(ch//each)//ranks)*split*each*(m//64)*2048 if split>1 else 0
    xst=n*128*parts*panels; wst=row*m*parts; room=SH-3072-sums
    fit=lambda x:(room-x*xst)//wst
    if xs is None:
        xs=next((x for x in range(12//panels,1,-1) if fit(x)*wst>=48<<10 and fit(x)>=2),2)
    ws=min(fit(xs),16)
    assert ws>=1,(m,n,parts,panels,chunk,ws)
    shared=1024+sums+xs*xst+ws*wst+(xs+ws)*parts*16+16
    tiles=-(-N//(m//paired))*-(-rows//n)
    units=-(-N*paired//64); 
    d={"TILE_N":m,"FLAT_M":m,"FLAT_N":n,"FLAT_PARTS":parts,"FLAT_X_STAGES":xs,"FLAT_W_STAGES":ws,"FLAT_X_PANELS":panels,"FLAT_STEP":step,"FLAT_CHUNK_MOST":cm,"FLAT_W_BOXES":k["defines"]["FLAT_W_BOXES"]}
    maps=[dict(x) for x in k["maps"]]; maps[0]["box_rows"]=n
    for x in maps[1:]: x["box_rows"]=m//paired
    grid=max(1,min(132//ranks, max(tiles,132//ranks if paired==2 else tiles)))*ranks
    return dict(defines=d,grid=[grid,1,1],block=128+128*cons,shared=shared,maps=maps)
def flat16(k16,k,m,n,rows=256,early=1,stages=None):
    split=k["defines"]["FLAT_SPLIT"]; ranks=min(split,2); parts=-(-split//2); c=k["consts"]; paired=2 if k["name"]=="matmul_glu" else 1
    N=c.get("n") or c.get("f"); groups=-(-n//64); mine=-(-(m//8//paired)//ranks)
    sums=0 if ranks==1 else ranks*parts*mine*paired*groups*2048
    st=min((SH-2048-sums)//((m+n)*128),24)
    if stages: st=min(st,stages)
    assert st>=2
    xs,ws=n*128,m*128
    maps=[dict(x) for x in k["maps"]]; maps[0]["box_rows"]=n; maps[1]["box_rows"]=m//paired
    tiles=-(-N//(m//paired))
    return dict(defines={"TILE_N":m,"FLAT_M":m,"FLAT_N":n,"FLAT_SPLIT":split,"FLAT_PARTS":parts,"FLAT_X_STAGES":st,"FLAT_W_STAGES":st,"FLAT_EARLY":early},
      grid=[max(1,min(132//ranks,tiles))*ranks,1,1],block=64+128*groups,shared=1024+sums+st*(xs+ws+32)+groups*64,maps=maps)
def native(k,m,n,parts,rows=256,xs=None):
    split=k["defines"]["FLAT_SPLIT"]; ranks=split//parts; c=k["consts"]; paired=2 if k["name"]=="matmul_glu" else 1
    N=c.get("n") or c.get("f"); ch=min(n//8,8)
    sums=parts*split*max(ch//split,1)*m//64*2048 if split>1 else 0
    gates=ch*m//64*1024 if paired==2 else 0
    xst,wst=n*128*parts,128*m*parts; room=SH-2048-sums-gates; enough=max(2,-(-(56*1024)//wst))
    x=min(8,max(2,(room-enough*wst)//xst)) if xs is None else xs; w=min(16,(room-x*xst)//wst); assert w>0
    maps=[dict(q) for q in k["maps"]]; maps[0]["box_rows"]=n; maps[1]["box_rows"]=m//paired
    tiles=-(-N//(m//paired))*-(-rows//n)
    return dict(defines={"TILE_N":m,"FLAT_M":m,"FLAT_N":n,"FLAT_SPLIT":split,"FLAT_PARTS":parts,"FLAT_X_STAGES":x,"FLAT_W_STAGES":w},
      grid=[max(1,min(132//ranks,tiles))*ranks,1,1],block=128+128*(m//64*parts),shared=1024+sums+gates+x*xst+w*wst+(x+w)*parts*16+16,maps=maps)
def put(tests,model,rows,label,kernel,name,geo,pieces=None):
    d=geo.pop("defines"); add(tests,model,rows,label,kernel,name,d,pieces,**geo)
def work(a): return nvrtc(*a)
def finish(job,models):
    jobs={}
    for e,n,t in pending: jobs[n,t]=None
    for m,r in models:
        for k in dump(m,r)["kernels"]: jobs[k["name"],text(k)]=None
    keys=list(jobs)
    with ProcessPoolExecutor(2) as ex:
        for j,(p,log) in zip(keys,ex.map(work,keys)): jobs[j]=(p,log)
    os.makedirs(job,exist_ok=True)
    for f in os.listdir(job):
        if f.endswith(".cubin") or f.startswith("dump_"): os.remove(job+"/"+f)
    def cub(n,t):
        p,log=jobs[n,t]
        if p is None: return None
        b=os.path.basename(p); 
        if not os.path.exists(job+"/"+b): shutil.copy(p,job+"/"+b)
        return b
    bad=[]
    for e,n,t in pending:
        e["cubin"]=cub(n,t)
        if e["cubin"] is None: print("COMPILE",e["name"],jobs[n,t][1][:1500]); bad.append(id(e))
        else: print(f'{e["rows"]:4d} {e["label"]:18s} {e["name"]:44s} grid {e.get("grid")} shared {e.get("shared")} regs {info(jobs[n,t][1])}')
    for g in groups: g["tests"]=[t for t in g["tests"] if id(t) not in bad]
    for m,r in models:
        d=json.loads(json.dumps(dump(m,r)))
        for k,k0 in zip(d["kernels"],dump(m,r)["kernels"]):
            k["cubin"]=cub(k["name"],text(k0)); 
            for x in("pieces","prelude","head"): k.pop(x)
        json.dump(d,open(f"{job}/dump_{m}_{r}.json","w"))
    json.dump(groups,open(f"{job}/groups.json","w"))
