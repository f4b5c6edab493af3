import { createHash } from 'node:crypto';

/**
 * The whole design, inlined into every page: one request paints it, and its hash is what the Content-Security-Policy
 * allows. Colours are variables with a light and a dark value; each pair of text and ground has a contrast of 4.5 or more.
 */
export const STYLE = `
:root{color-scheme:light dark;--ground:#f4f2ec;--sheet:#fffefb;--line:#dcd7cb;--field:#8b8779;--ink:#1d2420;--quiet:#5a6059;--pine:#1d5b45;--pine-deep:#15442f;--on-pine:#fff;--wash:#e6eee8;--alarm:#a3261b;--alarm-wash:#fbeae7;--focus:#c2570c}
@media (prefers-color-scheme:dark){:root{--ground:#131815;--sheet:#1b221e;--line:#333d37;--field:#7c877f;--ink:#eceee9;--quiet:#a9b2ab;--pine:#8fd3b0;--pine-deep:#b4e4cb;--on-pine:#0d1f16;--wash:#24332b;--alarm:#ffb3a7;--alarm-wash:#3b211d;--focus:#ffab66}}
*,*::before,*::after{box-sizing:border-box}
html{font:100%/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;grid-template-rows:auto 1fr auto;background:var(--ground);color:var(--ink)}
header,footer,main{width:100%;max-width:29rem;margin:0 auto;padding:0 1.25rem}
.wide header,.wide footer,.wide main{max-width:46rem}
header{padding-top:clamp(1.5rem,7vh,4.5rem)}
.brand{display:inline-flex;align-items:center;gap:.6rem;font-weight:650;letter-spacing:.01em;color:var(--ink);text-decoration:none}
.brand svg{width:1.6rem;height:1.6rem;flex:none;color:var(--pine)}
main{padding-top:1.1rem;padding-bottom:2rem}
.sheet{background:var(--sheet);border:1px solid var(--line);border-radius:.9rem;padding:2rem;box-shadow:0 1px 2px rgb(0 0 0/.04),0 12px 32px -18px rgb(0 0 0/.18)}
.sheet+.sheet,form+.sheet{margin-top:1rem}
h1{margin:0 0 .4rem;font:600 1.75rem/1.2 ui-serif,"Iowan Old Style","Palatino Linotype",Palatino,"Book Antiqua",Georgia,serif;letter-spacing:-.005em;overflow-wrap:anywhere;text-wrap:balance}
h2{margin:0 0 .75rem;font-size:1.05rem;line-height:1.3;font-weight:650}
p{margin:0 0 1rem;overflow-wrap:anywhere}
.lead{color:var(--quiet);margin-bottom:1.5rem}
.lead strong{color:var(--ink);font-weight:600}
.quiet{color:var(--quiet);font-size:.925rem}
a{color:var(--pine);text-underline-offset:.18em;text-decoration-thickness:1px}
a:hover{color:var(--pine-deep);text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px;border-radius:.3rem}
.field{margin:0 0 1.15rem}
.field label{display:block;font-weight:600;margin-bottom:.3rem}
.field label .quiet{font-weight:400}
.hint{color:var(--quiet);font-size:.9rem;margin:0 0 .35rem}
.fault{color:var(--alarm);font-size:.925rem;font-weight:600;margin:0 0 .35rem}
input[type=text],input[type=email],input[type=password],input[type=tel],textarea{width:100%;font:inherit;color:inherit;background:var(--sheet);border:1px solid var(--field);border-radius:.55rem;padding:.62rem .8rem;min-height:2.9rem}
textarea{resize:vertical}
input:hover,textarea:hover{border-color:var(--ink)}
input:focus-visible,textarea:focus-visible{outline-offset:0;border-color:var(--focus);border-radius:.55rem}
input[aria-invalid=true],textarea[aria-invalid=true]{border-color:var(--alarm);box-shadow:inset 0 0 0 1px var(--alarm)}
input[readonly]{background:var(--wash);border-color:transparent}
.code{font:600 1.5rem/1.3 ui-monospace,"SF Mono",Menlo,Consolas,monospace;letter-spacing:.14em;text-transform:uppercase;text-align:center}
p.code{background:var(--wash);border-radius:.55rem;padding:.7rem;overflow-wrap:normal}
.choice{display:flex;gap:.65rem;align-items:flex-start;margin:0 0 1.4rem;cursor:pointer}
.choice input{flex:none;width:1.35rem;height:1.35rem;margin:.1rem 0 0;accent-color:var(--pine)}
.buttons{display:grid;gap:.7rem;margin-top:1.5rem}
.pair{grid-template-columns:1fr 1fr}
button,.button{display:inline-flex;align-items:center;justify-content:center;font:inherit;font-weight:600;line-height:1.25;text-align:center;text-decoration:none;min-height:2.9rem;padding:.6rem 1.1rem;border-radius:.55rem;border:1px solid var(--pine);cursor:pointer;background:var(--pine);color:var(--on-pine)}
button:hover,.button:hover{background:var(--pine-deep);border-color:var(--pine-deep);color:var(--on-pine)}
.plain{background:transparent;border-color:var(--field);color:var(--ink)}
.plain:hover{background:var(--wash);border-color:var(--ink);color:var(--ink)}
.equal button{background:transparent;border:1.5px solid var(--pine);color:var(--pine)}
.equal button:hover{background:var(--pine);color:var(--on-pine)}
.grave{background:var(--alarm);border-color:var(--alarm);color:var(--sheet)}
.grave:hover{background:var(--ink);border-color:var(--ink);color:var(--sheet)}
.small{min-height:2.25rem;padding:.3rem .85rem;font-size:.9rem}
.summary{background:var(--alarm-wash);border-left:.3rem solid var(--alarm);border-radius:.4rem;padding:.9rem 1.1rem;margin:0 0 1.4rem}
.summary h2{color:var(--alarm);margin:0;font-size:1rem}
.summary ul{margin:.35rem 0 0;padding:0;list-style:none}
.summary a{color:var(--alarm);font-weight:600}
.notice{background:var(--wash);border-left:.3rem solid var(--pine);border-radius:.4rem;padding:.8rem 1.1rem;margin:0 0 1.4rem}
.notice p:last-child{margin:0}
.person{display:flex;gap:.8rem;align-items:center;border:1px solid var(--line);border-radius:.7rem;padding:.7rem .9rem;margin:0 0 1.5rem}
.person div{min-width:0;overflow-wrap:anywhere;line-height:1.35}
.person strong{display:block;font-weight:600}
.initial{flex:none;display:grid;place-items:center;width:2.5rem;height:2.5rem;border-radius:50%;background:var(--wash);color:var(--pine);font-weight:650}
.scopes{list-style:none;margin:0 0 1.4rem;padding:0;border-top:1px solid var(--line)}
.scopes li{position:relative;padding:.75rem 0 .75rem 1.9rem;border-bottom:1px solid var(--line)}
.scopes li::before{content:"";position:absolute;left:.15rem;top:1.12rem;width:.95rem;height:.5rem;border:solid var(--pine);border-width:0 0 2px 2px;transform:rotate(-45deg)}
.scopes strong{display:block;font-weight:600}
.scopes span{color:var(--quiet);font-size:.925rem}
.rows{list-style:none;margin:0;padding:0}
.rows li{display:flex;gap:1rem;align-items:center;justify-content:space-between;padding:.85rem 0;border-top:1px solid var(--line)}
.rows li:last-child{padding-bottom:0}
.rows div{min-width:0;overflow-wrap:anywhere}
.rows strong{font-weight:600}
.rows button,.rows .button{flex:none}
.tag{display:inline-block;margin-left:.4rem;padding:.05rem .5rem;border-radius:1rem;background:var(--wash);color:var(--pine);font-size:.8rem;font-weight:600;vertical-align:.08em}
dl{margin:0;display:grid;grid-template-columns:minmax(7rem,auto) 1fr;gap:.55rem 1.25rem}
dt{color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere;white-space:pre-line}
.actions{display:flex;flex-wrap:wrap;gap:.7rem;margin-top:1.4rem}
details{margin-top:1.5rem}
summary{cursor:pointer;color:var(--quiet);min-height:1.5rem}
details dl{margin-top:.8rem;font-size:.9rem}
.below{text-align:center;margin:1.25rem 0 0}
footer{padding-bottom:1.75rem;color:var(--quiet);font-size:.875rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:26rem){.actions{display:grid}.sheet{padding:1.4rem 1.15rem}header,footer,main{padding-left:.8rem;padding-right:.8rem}h1{font-size:1.5rem}.rows li{flex-direction:column;align-items:stretch;gap:.6rem}dl{grid-template-columns:1fr;gap:.1rem}dd{margin-bottom:.6rem}}
@media (forced-colors:active){.sheet,button,.button{border:1px solid}.scopes li::before{border-color:CanvasText}}
@media (prefers-reduced-motion:no-preference){button,.button,input{transition:background-color .12s,border-color .12s}}
`.trim();

/** The source expression that allows exactly this style sheet. */
export const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
