import ctypes as C, json, os, sys, hashlib, re
from concurrent.futures import ProcessPoolExecutor
CACHE="harness/cubins"; os.makedirs(CACHE,exist_ok=True)
LIB=os.environ["HOME"]+"/.cache/akunu/nvrtc/libnvrtc.so.13"; C.CDLL(os.environ["HOME"]+"/.cache/akunu/nvrtc/libnvrtc-builtins.so.13.0",C.RTLD_GLOBAL)
def nvrtc(name,text):
    h=hashlib.sha1(text.encode()).hexdigest()[:16]; p=f"{CACHE}/{h}.cubin"; lp=f"{CACHE}/{h}.log"
    if os.path.exists(p): return p,open(lp).read()
    L=C.CDLL(LIB); pr=C.c_void_p(); L.nvrtcCreateProgram(C.byref(pr),text.encode(),(name+".cu").encode(),0,None,None)
    opts=[b"--gpu-architecture=sm_90a",b"--std=c++17",b"--extra-device-vectorization",b"--ptxas-options=-v"]
    r=L.nvrtcCompileProgram(pr,len(opts),(C.c_char_p*len(opts))(*opts))
    n=C.c_size_t(); L.nvrtcGetProgramLogSize(pr,C.byref(n)); b=C.create_string_buffer(n.value); L.nvrtcGetProgramLog(pr,b); log=b.value.decode()
    if r: return None,log
    L.nvrtcGetCUBINSize(pr,C.byref(n)); b=C.create_string_buffer(n.value); L.nvrtcGetCUBIN(pr,b); open(p,"wb").write(b.raw); open(lp,"w").write(log)
    return p,log
DUMPS={}
def dump(model,rows):
    if (model,rows) not in DUMPS: DUMPS[model,rows]=json.load(open(f"harness/dump_{model}_{rows}.json"))
    return DUMPS[model,rows]
def text(k,defines=None,pieces=None):
    d=dict(k["defines"]); d.update(defines or {})
    return k["head"]+"".join(f"#define {a} {b}u\n" for a,b in d.items())+k["prelude"]+"".join(pieces or k["pieces"])
def find(model,rows,label,kernel):
    d=dump(model,rows)
    for c in d["commands"]:
        k=d["kernels"][c["kernel"]]
        if c["label"]==label and k["name"]==kernel: return k
    raise KeyError((label,kernel))
def info(log):
    m=re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores|Used (\d+) registers",log)
    return " ".join("/".join(y for y in x if y) for x in m)
