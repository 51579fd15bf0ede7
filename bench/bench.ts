import { claim } from './rows/claim.ts'
import { commitToScreen } from './rows/commit-to-screen.ts'
import { conversationOpen } from './rows/conversation.ts'
import { contention } from './rows/contention.ts'
import { firstFrame } from './rows/first-frame.ts'
import { idle } from './rows/idle.ts'
import { integrate } from './rows/integrate.ts'
import { keyToFrame, views } from './rows/keys.ts'
import { mcpCrowd, mcpRoundTrip, mcpStart } from './rows/mcp.ts'
import { postgresClaim, postgresPairs, postgresSideBySide } from './rows/postgres.ts'
import { postgresConsole } from './rows/postgres-console.ts'
import { postgresCopy } from './rows/postgres-copy.ts'
import { postgresCrowd } from './rows/postgres-crowd.ts'
import { postgresFar } from './rows/postgres-far.ts'
import { postgresHosts } from './rows/postgres-hosts.ts'
import { radar } from './rows/radar.ts'
import { reads } from './rows/reads.ts'
import { recall } from './rows/recall.ts'
import { refresh } from './rows/refresh.ts'
import { review } from './rows/review.ts'
import { sandboxCost } from './rows/sandbox.ts'
import { keyToAgent, tenTalk, wordToScreen } from './rows/talk.ts'
import { worktreeGitCost } from './rows/worktree-git.ts'
import { printed, type Row } from './row.ts'

// Prints ratios to a bare part or a peer, or counts, each measured in this run with both sides alternating, because an
// absolute time on a shared machine proves nothing; rows about the screen are measured at 10,000 and at 100,000 tasks.
// Names after `npm run bench --` choose rows, `screen` all rows about the screen, also those left out without a name; an
// unknown name lists them.

type Rows = Readonly<Record<string, () => Promise<Row>>>

const screen: Rows = {
  refresh,
  reads,
  ...Object.fromEntries(Object.entries(views).map(([name, view]) => [name, keyToFrame(view)])),
  'commit-to-screen': commitToScreen,
  idle,
}

/** Rows that say little more than another one; measured only by name, so that all others take at most 8 minutes. */
const onlyByName: readonly string[] = [
  'tight-loops',
  'filter',
  'columns',
  'tree',
  'ends',
  'tree-ends',
  'logs-search',
  'plots',
  'timeline',
  'found-tree',
  'mcp-crowd',
  'key-to-agent',
  // They take minutes.
  'postgres-console',
  'postgres-far',
  'postgres-hosts',
  'postgres-copy',
  'postgres-crowd',
]

const rows: Rows = {
  claim,
  contention: () => contention(20),
  'tight-loops': () => contention(0),
  'first-frame': firstFrame,
  ...screen,
  'mcp-start': mcpStart,
  'mcp-round-trip': mcpRoundTrip,
  'mcp-crowd': mcpCrowd,
  'conversation-open': conversationOpen,
  'word-to-screen': wordToScreen,
  'ten-talk': tenTalk,
  'key-to-agent': keyToAgent,
  recall,
  'postgres-claim': postgresClaim,
  'postgres-pairs': postgresPairs,
  'postgres-side-by-side': postgresSideBySide,
  'postgres-console': postgresConsole,
  'postgres-copy': postgresCopy,
  'postgres-crowd': postgresCrowd,
  'postgres-far': postgresFar,
  'postgres-hosts': postgresHosts,
  integrate,
  radar,
  review,
  sandbox: sandboxCost,
  'worktree-git': worktreeGitCost,
}

const asked = process.argv.slice(2).flatMap((name) => (name === 'screen' ? Object.keys(screen) : [name]))
const unknown = asked.filter((name) => !(name in rows))
if (unknown.length > 0) {
  console.error(`No row is called ${unknown.join(', ')}. There are: screen, ${Object.keys(rows).join(', ')}.`)
  process.exit(2)
}
const isAsked = (name: string): boolean => (asked.length === 0 ? !onlyByName.includes(name) : asked.includes(name))
for (const [name, measure] of Object.entries(rows).filter(([name]) => isAsked(name))) {
  const began = performance.now()
  try {
    const row = await measure()
    console.log(printed(row, (performance.now() - began) / 1000))
  } catch (error) {
    // The other rows are measured all the same.
    console.log(`✗ ${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}
