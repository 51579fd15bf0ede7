/** The style sheet of the page: light or dark by the reader's preference, and without backgrounds in print. */
export const style = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6470; --line: #d5dae0; --paper: #ffffff; --card: #f6f8fa; --done: #1a7f4b; --bad: #b3261e; --stop: #6b7280; --work: #0b62b8; --plain: #4b5fc0 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #a2acb8; --line: #3a424c; --paper: #14181d; --card: #1c2229; --done: #4fc08d; --bad: #ff8a80; --stop: #9aa4b0; --work: #6cb2f5; --plain: #98a6f5 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 3rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem }
h2 { font-size: 1.05rem; margin: 0 }
p { margin: .25rem 0 }
.soft { color: var(--soft); font-size: .9rem }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .75rem; margin: 1rem 0 1.5rem; padding: 0 }
dl div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem }
dt { color: var(--soft); font-size: .85rem }
dd { margin: 0; font-size: 1.2rem; font-variant-numeric: tabular-nums }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem }
figure { margin: 0; min-width: 0; border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; break-inside: avoid }
figure.wide { grid-column: 1 / -1; break-inside: auto }
svg { display: block; width: 100%; margin-top: .5rem; overflow: visible }
svg text { fill: var(--soft); font-size: 12px; font-family: system-ui, sans-serif; font-variant-numeric: tabular-nums }
svg .name { fill: var(--ink) }
svg .axis { stroke: var(--line) }
svg .done { fill: var(--done) } svg .bad { fill: var(--bad) } svg .plain { fill: var(--plain) }
svg .open { fill: var(--plain); fill-opacity: .25; shape-rendering: crispEdges } svg .edge { stroke: var(--plain); stroke-width: 2 }
svg .completed { fill: var(--done) } svg .failed { fill: url(#hatched); stroke: var(--bad) } svg .stopped { fill: none; stroke: var(--stop); stroke-dasharray: 3 2 } svg .working { fill: var(--work); fill-opacity: .3; stroke: var(--work) }
#hatched rect { fill: var(--paper) } #hatched path { stroke: var(--bad); stroke-width: 2 }
.key { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: .5rem 0 0; padding: 0; font-size: .9rem }
.key svg { display: inline-block; width: 24px; height: 12px; margin: 0 .4rem 0 0; vertical-align: -1px }
details { margin-top: .5rem; font-size: .9rem }
summary { cursor: pointer; color: var(--soft) }
.scroll { max-height: 24rem; overflow: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .15rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top }
th { background: var(--paper); position: sticky; top: 0 }
td.number, th.number { text-align: right; white-space: nowrap }
.time { white-space: nowrap }
@media print { body { max-width: none; padding: 0; font-size: .8rem } .scroll { max-height: none; overflow: visible } details::details-content { content-visibility: visible; block-size: auto } tr.quiet { display: none } th { position: static } * { print-color-adjust: exact; -webkit-print-color-adjust: exact } }
`
