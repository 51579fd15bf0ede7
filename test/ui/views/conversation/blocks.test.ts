import { describe, expect, it } from 'vitest'
import type { Saying, TalkEvent } from '../../../../src/contracts/conversation.ts'
import {
  begunWith,
  nothingSaid,
  withBefore,
  withEarlier,
  withEvents,
  withLater,
} from '../../../../src/ui/views/conversation/blocks.ts'
import { linesOf } from '../../../../src/ui/views/conversation/lines.ts'

let offset = 0
const event = (saying: Saying): TalkEvent => ({ run: 0, offset: (offset += 10), part: 0, saying })
const text = (words: string, continues = false) => event({ kind: 'text', text: words, continues })
const tool = (call: string, name = 'Bash', about = 'npm test') => event({ kind: 'tool', call, name, about })
const result = (call: string, words: string, failed = false) => event({ kind: 'result', call, text: words, failed })

describe('the blocks of a conversation', () => {
  it('join a call with its input and its result, whatever was said between them', () => {
    const blocks = withEvents(
      [],
      [
        tool('a'),
        tool('b', 'Read', 'a.ts'),
        event({ kind: 'input', call: 'a', command: 'npm test', edits: [] }),
        result('b', 'text'),
        text('meanwhile'),
        result('a', '3 passed'),
      ],
    )
    expect(blocks).toMatchObject([
      { kind: 'call', name: 'Bash', command: 'npm test', result: '3 passed', outcome: 'ok' },
      { kind: 'call', name: 'Read', result: 'text', outcome: 'ok' },
      { kind: 'said', text: 'meanwhile' },
    ])
  })

  it('distinguish a denied call from a failed one', () => {
    const failed = (call: string, denied: boolean) => event({ kind: 'failed', call, name: '', about: 'no', denied })
    const blocks = withEvents(
      [],
      [tool('a'), failed('a', true), tool('b'), failed('b', false), result('b', 'no', true)],
    )
    expect(blocks).toMatchObject([
      { outcome: 'denied', result: 'no' },
      { outcome: 'failed', result: 'no' },
    ])
  })

  it('join the pieces of one text', () => {
    const blocks = withEvents(withEvents([], [text('Hello'), text(', wor', true)]), [text('ld', true), text('New')])
    expect(blocks).toMatchObject([
      { kind: 'said', text: 'Hello, world' },
      { kind: 'said', text: 'New' },
    ])
  })

  it('show a plan instead of the call that makes it', () => {
    const blocks = withEvents(
      [],
      [
        tool('a', 'TodoWrite', '{}'),
        event({ kind: 'plan', steps: [{ text: 'Read', state: 'open' }] }),
        result('a', 'ok'),
      ],
    )
    expect(blocks).toMatchObject([{ kind: 'plan', steps: [{ text: 'Read' }] }])
  })

  it('give a result to its call when the call is loaded later', () => {
    const [call, between, done] = [tool('a'), text('meanwhile'), result('a', '3 passed')]
    const late = withEvents([], [between, done])
    expect(late).toMatchObject([{ kind: 'said' }, { kind: 'call', name: '', result: '3 passed' }])
    expect(withEarlier(late, [call])).toEqual(withEvents([], [call, between, done]))
  })
})

describe('the loaded part of a conversation', () => {
  const piece = (events: readonly TalkEvent[], atBegin = false, atEnd = true) => ({
    events,
    from: { run: 0, offset: events[0]?.offset ?? 0 },
    to: { run: 0, offset: (events.at(-1)?.offset ?? 0) + 10 },
    atBegin,
    atEnd,
  })
  const many = (count: number) => Array.from({ length: count }, (_, n) => text(`line ${n}`))

  it('drops its beginning while it grows at its end, and its end while it grows at its beginning', () => {
    offset = 0
    const events = many(12_000)
    const begun = begunWith(nothingSaid, piece(events.slice(0, 4000), true))
    const grown = withLater(begun, piece(events.slice(4000, 8000)))
    expect(grown).toMatchObject({ atBegin: false, atEnd: true, from: { run: 0, offset: events[4000]!.offset } })
    expect(grown.blocks).toHaveLength(4000)
    const back = withBefore(grown, piece(events.slice(0, 4000), true))
    expect(back).toMatchObject({ atBegin: true, atEnd: false, to: { run: 0, offset: events[4000]!.offset } })
    expect(back.blocks).toHaveLength(4000)
  })

  it('is the same object if nothing was added, so that nothing is drawn', () => {
    const begun = begunWith(nothingSaid, piece(many(3)))
    expect(withLater(begun, { ...piece([]), to: begun.to })).toBe(begun)
  })
})

describe('a carriage return in a conversation', () => {
  const about = { width: 80, opened: true, run: undefined, message: undefined, request: undefined }
  const shown = (...sayings: readonly Saying[]) =>
    withEvents(
      [],
      sayings.map((saying, offset) => ({ run: 0, offset, part: 0, saying })),
    )
      .flatMap((block) => linesOf(block, about))
      .map(({ text }) => text)
      .join('\n')

  it('hides nothing of what an agent says, asks, plans or runs', () => {
    expect(shown({ kind: 'text', text: 'deletes all\rtidies up', continues: false })).toContain('deletes all')
    expect(shown({ kind: 'asks', call: '1', tool: 'Bash\rRead', about: 'a', input: '' })).toContain('Bash')
    expect(shown({ kind: 'plan', steps: [{ text: 'delete\rtidy', state: 'open' }] })).toContain('delete')
    const runs = shown(
      { kind: 'tool', call: '1', name: 'Bash', about: '' },
      {
        kind: 'input',
        call: '1',
        command: 'rm -rf .\rls',
        edits: [{ path: 'a', before: '', after: 'evil()\rgood()' }],
      },
    )
    expect(runs).toContain('rm -rf .⟨000D⟩ls')
    expect(runs).toContain('evil()⟨000D⟩good()')
  })

  it('starts a line of output again, as a progress bar wants it', () => {
    expect(shown({ kind: 'result', call: '1', text: '10%\r20%\r\ndone', failed: false })).toMatch(/ *20%\ndone/)
  })
})
