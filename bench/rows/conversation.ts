import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { claude } from '../../src/agents/claude.ts'
import { readPiece } from '../../src/effects/talk/transcript.ts'
import { logsFolder, outputPath } from '../../src/effects/files/paths.ts'
import { linesOf } from '../../src/ui/views/conversation/lines.ts'
import { begunWith, nothingSaid } from '../../src/ui/views/conversation/blocks.ts'
import type { TalkRun } from '../../src/contracts/conversation.ts'
import { openBenchCore, scratch } from '../bench-core.ts'
import { middleAndWorst, quantile, type Row } from '../row.ts'

const MB = 1024 * 1024
const OPENINGS = 60

/** The rows of a screen. */
const SCREEN = 50

/**
 * The end of a conversation is read from its file, composed and made into the rows of a screen: of a history of 100 MB
 * and of 1 MB, alternating.
 */
export const conversationOpen = async (): Promise<Row> => {
  const root = scratch()
  mkdirSync(logsFolder(root), { recursive: true })
  const core = { ...(await openBenchCore(join(root, '.aiswarm'))), root }
  const world = { core, kinds: new Map([['claude', claude]]) }
  const sides = [
    { name: '1 MB', agentId: 'small', bytes: MB, times: [] as number[] },
    { name: '100 MB', agentId: 'large', bytes: 100 * MB, times: [] as number[] },
  ]
  for (const { agentId, bytes } of sides) await writeHistory(outputPath(root, agentId), bytes)
  for (let n = 0; n < OPENINGS; n++) {
    for (const { agentId, times } of sides) {
      const run: TalkRun = { agentId, run: 1, kind: 'claude', from: 0, until: null, endedAt: null }
      const begun = performance.now()
      const piece = await readPiece(world, [run], [], 'end', 'before', [])
      const { blocks } = begunWith(nothingSaid, piece)
      const about = { width: 100, opened: false, run: undefined, message: undefined, request: undefined }
      const rows = blocks.slice(-SCREEN).flatMap((block) => linesOf(block, about))
      if (rows.length < SCREEN) throw new Error('the end of the history does not fill a screen')
      times.push(performance.now() - begun)
    }
  }
  core.store.close()
  const [small, large] = sides.map(({ times }) => times)
  const ratio = quantile(large!, 0.5) / quantile(small!, 0.5)
  return {
    what: `a conversation of 100 MB opens / one of 1 MB (${middleAndWorst(small!)})`,
    measured: `p50 ${ratio.toFixed(2)}× (${middleAndWorst(large!)})`,
    target: 'p50 ≤ 1.5×',
    kept: ratio <= 1.5,
  }
}

/** Words, calls of tools and their results, as Claude Code prints them. */
const writeHistory = async (path: string, bytes: number): Promise<void> => {
  const file = createWriteStream(path)
  let written = 0
  for (let n = 0; written < bytes; n++) {
    const text = messagesOf(n)
      .map((message) => `${JSON.stringify(message)}\n`)
      .join('')
    written += text.length
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}

const messagesOf = (n: number): readonly unknown[] => [
  { type: 'assistant', message: { content: [{ type: 'text', text: `Step ${n}: I look at the code and change it.` }] } },
  {
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id: `t${n}`, name: 'Bash', input: { command: `npm test -- part${n}` } }] },
  },
  {
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: `t${n}`, content: 'a line of output\n'.repeat(20) }] },
  },
]
