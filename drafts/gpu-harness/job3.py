from mk2 import *
from t2 import newp
sys.path.insert(0,'harness'); import picks, io, contextlib
def group(name,model,tests): groups.append(dict(name=name,model=model,tests=tests))
Q="q4_0"; B="bf16"
LAB={("attention.qkv","matmul"):(4096,6144,1),("attention.output","matmul_add"):(4096,4096,1),("ffn.gate_up","matmul_glu"):(4096,14336,2),("ffn.down","matmul_add"):(14336,4096,1)}
def newgeo(l,n,r):
    k=find(Q,r,l,n); b=picks.pick(*LAB[l,n],r)[1]
    g=planes(k,b["m"],b["n"],b["parts"],b["panels"],b["chunk"],rows=r,xs=min(b["xs"],3) if b["n"]>64 and b["m"]//64*b["parts"]>2 else b["xs"])
    # the grid as Rust has it
    c=k["consts"]; N=c.get("n") or c.get("f"); ranks=b["split"]//b["parts"]; cnt=-(-N//(b["m"]//LAB[l,n][2]))*-(-r//b["n"])
    g["grid"]=[max(1,min(132//ranks,cnt))*ranks,1,1]
    return g
t=[]
for (l,n) in LAB:
    for r in [512,256,128,64,32,16]:
        k=find(Q,r,l,n); add(t,Q,r,l,n,"base")
        g=newgeo(l,n,r); put(t,Q,r,l,n,f"new m{g['defines']['FLAT_M']} n{g['defines']['FLAT_N']} xs{g['defines']['FLAT_X_STAGES']} ws{g['defines']['FLAT_W_STAGES']}",g,newp(k))
    add(t,Q,256,l,n,"base, 200 rows",active=200); g=newgeo(l,n,256); put(t,Q,256,l,n,"new, 200 rows",g,newp(find(Q,256,l,n))); t[-1]["active"]=200
group("bits",Q,t)
def gp(r,k,lab):
    n=224; cu="matmul_glu/matmul_glu.cu" if lab=="ffn.gate_up" else "matmul/matmul_tiled.cu"
    return gemm(k,128,n,2,cu,rows=r)
def step(model,r,name,names,active=None,**kw):
    d=dump(model,r); o={}
    for x,k in enumerate(d["kernels"]):
        lab={(c["label"]) for c in d["commands"] if c["kernel"]==x}
        l=next(iter(lab)) if lab else None
        e=None
        if k["name"] in names and k["name"] in("rms_norm","rope_kv"): e={}; dd={}; pp=newp(k)
        elif "prod" in names and model==Q and (l,k["name"]) in LAB:
            e=newgeo(l,k["name"],r); dd=e.pop("defines"); pp=newp(k)
        elif "prod" in names and model==B and r>=256 and l in("ffn.gate_up","head.logits") and k["name"].startswith("matmul"):
            e,pp=gp(r,k,l); dd=e.pop("defines")
        if e is not None:
            e.update(name=name,rows=r,label=str(l)); pending.append((e,k["name"],text(k,dd,pp))); o[str(x)]=e
    return dict(kind="step",rows=r,name=name,over=o,active=active or r,**kw)
NR=("rms_norm","rope_kv")
for m in (Q,B):
    s=[]
    for r,a in [(16,8),(32,32),(128,128),(256,256)]:
        s.append(step(m,r,"base",(),a)); s.append(step(m,r,"norm",("rms_norm",),a)); s.append(step(m,r,"norm rope",NR,a)); s.append(step(m,r,"all",NR+("prod",),a)); s.append(step(m,r,"base again",(),a))
    group("steps"+m,m,s)
    if m==Q: continue
t=[]
for l,n in [("ffn.gate_up","matmul_glu"),("head.logits","matmul")]:
    for r in [512,256]:
        k=find(B,r,l,n); add(t,B,r,l,n,"base"); g,p=gp(r,k,l); put(t,B,r,l,n,f"gemm n{g['defines']['TILE_N']}",g,p)
    add(t,B,128,l,n,"base"); add(t,B,16,l,n,"base")
for r in (256,128,16):
    add(t,B,r,"attention.norm","rms_norm","base"); add(t,B,r,"attention.norm","rms_norm","new",pieces=newp(find(B,r,"attention.norm","rms_norm")))
group("bbits",B,t)
finish("harness/job",[(m,r) for m in(Q,B) for r in(16,32,64,128,256,512)])
