# port of cuda_flat_planes.rs
SH=227*1024
def cd(a,b): return -(-a//b)
W=[16,32,64,128,192,256]
def widths(rows,most):
    down=cd(rows,most); each=cd(rows,down); return down,next((w for w in W if w>=each),most)
def pick(k,n,paired,rows,row=144,new=True):
    g=cd(n*paired,64); want=4 if g<=64 else 2 if g<=180 else 1
    most=2 if paired==2 else 4; units=cd(k,256); split=next((s for s in(4,2,1) if s<=want and s<=units and s<=most),1)
    best=None
    for mo in(256,128):
        nn=widths(rows,mo)[1]
        for parts in(1,2,4):
            if parts>split or split//parts>2: continue
            for m in(64,128,192,256):
                ranks=split//parts; cons=m//64*parts
                reg= nn<=256 if cons<=2 else nn<=128 if cons<=4 else False
                pairs=paired==1 or (parts==1 and m%128==0)
                if not(reg and pairs): continue
                if new:
                    if parts>1 and nn>64 and cons>2: panels,chunk=1,4
                    elif parts>1 and nn>64: panels,chunk=1,8
                    else: panels,chunk=(1 if k%256 else 4 if nn<=32 else 2),8
                else: panels,chunk=(1 if k%256 else 4 if nn<=32 else 2),8
                c=min(chunk,nn//8); each=max(c//split,1)
                ex=cd(c//each,ranks)*split*each*(m//64)*2048 if split>1 else 0
                if not new and paired==2: ex+=c*(m//64)*1024
                xs,ws=nn*128*parts*panels,row*m*parts
                room=SH-3072-ex
                fit=lambda x:max(0,room-x*xs)//ws if room>=x*xs else 0
                if new: x=next((x for x in range(12//panels,1,-1) if fit(x)>=2 and (fit(x)*ws>=48<<10 or x<=3)),2)
                else: x=next((x for x in range(12//panels,1,-1) if fit(x)>=2 and fit(x)*ws>=48<<10),2)
                w=min(fit(x),16)
                if w<1: continue
                count=cd(n,m//paired)*cd(rows,nn); turns=cd(count,132//ranks); steps=cd(cd(k,256),split)*4
                work=cons*(70+nn*4//5+nn*nn//700)*(93 if cons==4 else 100)//100
                copied=parts*(row*m//4+nn*128); st=max(work,150+nn,copied//65)
                exch=[0,300,500][(split>1)+(ranks>1)]
                tm=turns*(steps*st+exch)
                if best is None or tm<best[0]: best=(tm,dict(m=m,n=nn,parts=parts,split=split,panels=panels,chunk=chunk,xs=x,ws=w))
    return best
if __name__=="__main__":
    pass
