import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import { openApproval } from '../../../src/ui/actions/integration.ts'
import { open } from '../../../src/ui/core/overlays.ts'
import { boardAnswered, boardMissed, secondPassed } from '../../../src/ui/core/reducers.ts'
import { answerOf, footerOf } from '../../../src/ui/keys/help.ts'
import { paletteOf } from '../../../src/ui/views/palette/palette.ts'
import { openController, type TestController } from '../controller.ts'
import { type Fixture, openFixture } from '../fixture.ts'

// Situations in which keys cannot work: their footers show only keys that do.

let fixture: Fixture
let controller: TestController
beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  await fixture.addTask('Bake')
  controller = await openController(fixture)
})
afterEach(() => fixture.close())

const footer = (): readonly string[] => footerOf(controller.state()).keys.map(({ keys, label }) => `${keys} ${label}`)
const events = () => fixture.core.store.read.selectFrom('events').selectAll().execute()

describe('the footer of a diff that is only read', () => {
  it('has no keys to approve and reject, until the integration is requested', () => {
    controller.press('4', 'D')
    expect(footer().filter((key) => /^[yn] /.test(key))).toEqual([])
    expect(footer()).toContain('i integrate')
    controller.press('i')
    expect(footer().filter((key) => /^[yn] /.test(key))).toEqual(['y approve', 'n reject'])
  })
})

describe('a board that takes no writes', () => {
  const sentence = 'PostgreSQL at b takes no writes: it is a replica.'
  const close = (closed: string | null): void =>
    controller.change(secondPassed(fixture.core.clock(), { here: true, pid: null, closed }))
  const writing = () => controller.state().table.rows.filter(({ writes }) => writes)

  it('is shown with a footer of the keys that read', () => {
    const before = footer()
    close(sentence)
    expect(before.filter((key) => !footer().includes(key)).map((key) => key[0])).toEqual(['s', 'r', 'i', 'x', 'n'])
    controller.press('n')
    expect(controller.notice()).toBe(sentence)
    close(null)
    expect(footer()).toEqual(before)
    expect(controller.notice()).toBe('')
  })

  it('has the keys that read first in the palette', () => {
    close(sentence)
    const blocked = paletteOf(controller.state(), '').map((row) => row.blocked === sentence)
    expect(blocked).toContain(true)
    const [first, last] = [blocked.indexOf(true), blocked.lastIndexOf(true)]
    expect(blocked.slice(first, last + 1)).not.toContain(false)
    expect(first).toBeGreaterThan(10)
  })

  it('says why at every key that writes, and opens no form for what it would refuse', async () => {
    close(sentence)
    const before = await events()
    const rows = writing().filter(({ modes }) => modes.includes('list'))
    expect(rows.length).toBeGreaterThan(10)
    for (const { id, keys } of rows) {
      controller.press('1', keys[0]!)
      expect([id, controller.mode(), controller.notice()]).toEqual([id, 'list', sentence])
    }
    expect(await events()).toEqual(before)
  })

  it('has every key dimmed in the palette that writes, with the reason', () => {
    close(sentence)
    controller.press(':')
    expect(paletteOf(controller.state(), 'new task').find(({ keys }) => keys === 'n')?.blocked).toBe(sentence)
  })

  it('offers no answer below a review or a change by others', () => {
    const views = [
      openApproval('user-auth'),
      open({ kind: 'checkout', change: { changes: [], agents: [] }, top: 0 } as never),
    ]
    for (const view of views) {
      close(null)
      controller.change(view)
      expect(footer().some((key) => key.startsWith('y '))).toBe(true)
      close(sentence)
      expect(footer().some((key) => key.startsWith('y '))).toBe(false)
      expect(answerOf(controller.state(), controller.state().view.overlay!)).toEqual({
        line: 'The board takes no writes now.',
        ready: false,
      })
    }
  })

  test('is known by every key that answers or acts, but those for the terminal and of questions', () => {
    const others = controller.state().table.rows.filter(({ acts, answers, writes }) => (acts ?? answers) && !writes)
    expect(others.map(({ id }) => id).sort()).toEqual(['editor', 'shell', 'submit', 'yes'])
  })
})

test('a board that was moved away takes no writes either, until a board is read again', () => {
  const refusal = new Refusal('database_moved', 'The board at b is at c now.')
  controller.change(boardMissed(new Refusal('store_unreachable', 'PostgreSQL at b does not answer.')))
  // A write waits for a server that is away for a moment.
  expect(footer()).toContain('n new')
  controller.change(boardMissed(refusal))
  expect(footer()).not.toContain('n new')
  controller.press('n')
  expect([controller.mode(), controller.notice()]).toEqual(['list', refusal.message])
  controller.change(boardAnswered)
  expect(footer()).toContain('n new')
  expect(controller.notice()).toBe('')
})
