import type { Saying, TalkEvent } from '../../../contracts/conversation.ts'
import type { Block, BlockId, CallBlock } from './state.ts'

// Composes what was said and done into blocks. New events only change the last blocks.

/** How many blocks back the call of a result is looked for: several calls run at the same time. */
const REACH = 200

/** Text in pieces is continued in a new block from here on (characters), so that a piece never costs a whole book. */
const LONG_TEXT = 8000

/** The blocks with these events after them. */
export const withEvents = (blocks: readonly Block[], events: readonly TalkEvent[]): readonly Block[] => {
  if (events.length === 0) return blocks
  const all = [...blocks]
  for (const event of events) add(all, event)
  return all
}

/** The blocks of earlier events, followed by these; a result finds its call among the earlier ones. */
export const withEarlier = (blocks: readonly Block[], events: readonly TalkEvent[]): readonly Block[] => {
  const earlier = [...withEvents([], events)]
  const later = blocks.filter((block) => !isLateResult(block) || !take(earlier, block))
  return [...earlier, ...later]
}

/** A result whose call was not loaded. */
const isLateResult = (block: Block): block is CallBlock => block.kind === 'call' && block.name === ''

const take = (blocks: Block[], { call, result, resultAt, outcome }: CallBlock): boolean =>
  change(blocks, call, (known) => ({ ...known, result, resultAt, outcome }))

const add = (blocks: Block[], { run, offset, part, saying }: TalkEvent): void => {
  const id: BlockId = { run, offset, part }
  switch (saying.kind) {
    case 'run': {
      // A run that has printed nothing yet is read again.
      const last = blocks.at(-1)
      if (last?.kind !== 'run' || last.run !== run) blocks.push({ ...id, kind: 'run' })
      return
    }
    case 'text':
      return addText(blocks, id, saying)
    case 'tool':
      return addCall(blocks, id, saying)
    case 'input':
      if (!change(blocks, saying.call, (call) => ({ ...call, command: saying.command, edits: saying.edits })))
        blocks.push({ ...emptyCall, ...id, ...saying, kind: 'call' })
      return
    case 'result':
      return addResult(blocks, id, saying)
    case 'failed':
      return addFailure(blocks, id, saying)
    case 'plan': {
      // Each call of the plan's tool repeats the whole plan.
      const last = blocks.at(-1)
      if (last?.kind === 'call' && last.result === null && last.edits.length === 0 && /todo|plan/i.test(last.name))
        blocks.pop()
      return void blocks.push({ ...id, kind: 'plan', steps: saying.steps })
    }
    case 'thought':
      return void blocks.push({ ...id, kind: 'thought', text: saying.text })
    default:
      blocks.push({ ...id, ...saying })
  }
}

const addText = (blocks: Block[], id: BlockId, { text, continues }: Extract<Saying, { kind: 'text' }>): void => {
  const last = blocks.at(-1)
  if (continues && last?.kind === 'said' && last.run === id.run && last.text.length < LONG_TEXT)
    blocks[blocks.length - 1] = { ...last, text: last.text + text }
  else blocks.push({ ...id, kind: 'said', text })
}

const emptyCall = {
  kind: 'call',
  call: '',
  name: '',
  about: '',
  command: null,
  edits: [],
  result: null,
  resultAt: null,
  outcome: 'open',
} as const

/** Some CLIs report one call repeatedly while it runs. */
const addCall = (blocks: Block[], id: BlockId, { call, name, about }: Extract<Saying, { kind: 'tool' }>): void => {
  if (!change(blocks, call, (known) => ({ ...known, name, about: about || known.about })))
    blocks.push({ ...emptyCall, ...id, call, name, about })
}

const addResult = (blocks: Block[], id: BlockId, { call, text, failed }: Extract<Saying, { kind: 'result' }>): void => {
  const done = (known: CallBlock): CallBlock => ({
    ...known,
    result: text,
    resultAt: { run: id.run, offset: id.offset },
    outcome: failed ? (known.outcome === 'denied' ? 'denied' : 'failed') : 'ok',
  })
  if (!change(blocks, call, done) && !isPlans(blocks, call)) blocks.push(done({ ...emptyCall, ...id, call }))
}

/** The plan's tool has no block of its own; its answer says nothing. */
const isPlans = (blocks: readonly Block[], call: string): boolean => call !== '' && blocks.at(-1)?.kind === 'plan'

const addFailure = (
  blocks: Block[],
  id: BlockId,
  { call, name, about, denied }: Extract<Saying, { kind: 'failed' }>,
): void => {
  const outcome = denied ? 'denied' : 'failed'
  if (!change(blocks, call, (known) => ({ ...known, outcome, result: known.result ?? about })))
    blocks.push({ ...emptyCall, ...id, call, name, about, outcome })
}

/** Changes the block of a call; false if it is not there. */
const change = (blocks: Block[], call: string, by: (block: CallBlock) => CallBlock): boolean => {
  if (call === '') return false
  for (let at = blocks.length - 1; at >= Math.max(0, blocks.length - REACH); at--) {
    const block = blocks[at]!
    if (block.kind !== 'call' || block.call !== call) continue
    blocks[at] = by(block)
    return true
  }
  return false
}
