import { claim } from './rows/claim.ts'
import { commitToScreen } from './rows/commit-to-screen.ts'
import { contention } from './rows/contention.ts'
import { firstFrame } from './rows/first-frame.ts'
import { idle } from './rows/idle.ts'
import { integrate } from './rows/integrate.ts'
import { keyToFrame } from './rows/key.ts'
import { mcpCrowd, mcpRoundTrip, mcpStart } from './rows/mcp.ts'
import { radar } from './rows/radar.ts'
import { recall } from './rows/recall.ts'
import { refresh } from './rows/refresh.ts'
import { review } from './rows/review.ts'
import type { Row } from './row.ts'

// Prints what DESIGN section 8 promises, as ratios or counts, each measured in this run. Names after `npm run bench --`
// choose rows.

const rows: Readonly<Record<string, () => Promise<Row>>> = {
  claim,
  contention: () => contention(20),
  'tight-loops': () => contention(0),
  refresh,
  'first-frame': firstFrame,
  key: keyToFrame,
  'commit-to-screen': commitToScreen,
  'mcp-start': mcpStart,
  'mcp-round-trip': mcpRoundTrip,
  'mcp-crowd': mcpCrowd,
  recall,
  integrate,
  radar,
  review,
  idle,
}

const chosen = process.argv.slice(2)
for (const [name, measure] of Object.entries(rows)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  const { what, measured, target, kept } = await measure()
  console.log(`${kept === null ? ' ' : kept ? '✓' : '✗'} ${what}\n    ${measured}   (target: ${target})`)
}
