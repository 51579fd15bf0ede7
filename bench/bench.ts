import { claim } from './rows/claim.ts'
import { commitToScreen } from './rows/commit-to-screen.ts'
import { contention } from './rows/contention.ts'
import { firstFrame } from './rows/first-frame.ts'
import { idle } from './rows/idle.ts'
import { integrate } from './rows/integrate.ts'
import { keyToFrame, views } from './rows/keys.ts'
import { mcpCrowd, mcpRoundTrip, mcpStart } from './rows/mcp.ts'
import { radar } from './rows/radar.ts'
import { reads } from './rows/reads.ts'
import { recall } from './rows/recall.ts'
import { refresh } from './rows/refresh.ts'
import { review } from './rows/review.ts'
import { printed, type Row } from './row.ts'

// Prints what DESIGN section 8 promises, as ratios or counts, each measured in this run; rows about the screen are
// measured at 10,000 and at 100,000 tasks side by side. Names after `npm run bench --` choose rows, `screen` all rows
// about the screen; an unknown name lists them.

type Rows = Readonly<Record<string, () => Promise<Row>>>

const screen: Rows = {
  refresh,
  reads,
  ...Object.fromEntries(Object.entries(views).map(([name, view]) => [name, keyToFrame(view)])),
  'commit-to-screen': commitToScreen,
  idle,
}

const rows: Rows = {
  claim,
  contention: () => contention(20),
  'tight-loops': () => contention(0),
  'first-frame': firstFrame,
  ...screen,
  'mcp-start': mcpStart,
  'mcp-round-trip': mcpRoundTrip,
  'mcp-crowd': mcpCrowd,
  recall,
  integrate,
  radar,
  review,
}

const asked = process.argv.slice(2).flatMap((name) => (name === 'screen' ? Object.keys(screen) : [name]))
const unknown = asked.filter((name) => !(name in rows))
if (unknown.length > 0) {
  console.error(`No row is called ${unknown.join(', ')}. There are: screen, ${Object.keys(rows).join(', ')}.`)
  process.exit(2)
}
for (const [name, measure] of Object.entries(rows)) {
  if (asked.length === 0 || asked.includes(name)) console.log(printed(await measure()))
}
