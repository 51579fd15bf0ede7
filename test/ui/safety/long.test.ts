import { afterEach, beforeEach, expect, test } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { fileOf, reviewOfFiles } from '../../support/review.ts'
import type { GitCommandView } from '../../../src/contracts/observations.ts'
import { open, sheetOf } from '../../../src/ui/core/overlays.ts'
import { foreignIn } from './families.ts'
import { openController, type TestController } from '../controller.ts'
import { type Fixture, openFixture } from '../fixture.ts'
import { dev, memories } from '../memories.ts'
import { openScreen } from '../screen.ts'

// Endless lines: of 10 MB, of marks without a column, of colours without a column, and text that consists only of line
// ends.

const floods: Readonly<Record<string, string>> = {
  'a line of 10 MB': 'x'.repeat(10_000_000),
  'marks on one letter': `e${'\u0301'.repeat(3_000_000)}`,
  'changes of colour': `\u001b[31m\u001b[32m`.repeat(300_000),
  'wide characters': '日'.repeat(300_000),
  'nothing but line ends': '\n'.repeat(300_000),
  'a line that starts again': 'x\r'.repeat(2_000_000),
}

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addTask('Flood')
  await perform(fixture.core, registerAgent, { id: 'ada', personaId: 'implementer' }, person)
  await perform(fixture.core, claimTask, { taskId: 1, agentId: 'ada' }, person)
})
afterEach(() => fixture.close())

/** The output for one view, however much there is to show: a few frames of this size. */
const MOST = 1_000_000

test.each(Object.entries(floods))(
  '%s of an output and the text after it are shown, with little output',
  async (_, flood) => {
    const screen = openScreen(fixture)
    await screen.shows('Flood')
    fixture.world.output.set('ada', `${flood}\nbehind the flood\n`)
    await screen.shows('behind the flood')
    await screen.press('L')
    await screen.shows(/Logs of all agents[^]*behind the flood/)
    expect(screen.text()).not.toMatch(/bug in aiswarm/)
    const written = screen.written.join('')
    expect(foreignIn(written)).toBe('')
    expect(written.length).toBeLessThan(MOST)
    await screen.close()
  },
)

test(
  'a line of 10 MB can be opened wherever it is read completely, and closed again',
  { timeout: 600_000 },
  async () => {
    const flood = floods['a line of 10 MB']!
    const { world } = fixture
    await fixture.addWorktree('user-auth')
    await fixture.makeReady('user-auth')
    world.review = reviewOfFiles([fileOf('long', `@@ -1 +1 @@\n-a\n+${flood.replaceAll('\n', '')}\n`)])
    world.verification = `${flood}\nbehind the flood\n`
    world.files = memories({
      working: [
        {
          ...dev,
          notes: { ...dev.notes!, observations: [{ timestamp: fixture.core.clock(), content: flood, context: {} }] },
        },
      ],
    })
    const screen = openScreen(fixture)
    await screen.shows('Flood')
    const goes: readonly (readonly [string | RegExp, ...(readonly string[])])[] = [
      ['Integrate user-auth', '4', 'i', ']', 'G'],
      ['Memory', 'm', 'j', 'j', '\r', 'G', '\u001b'],
    ]
    for (const [shows, ...keys] of goes) {
      await screen.press(...keys)
      await screen.shows(shows)
      for (let n = 0; n < 4; n++) await screen.press('\u001b')
      await screen.shows('1 Board')
    }
    const written = screen.written.join('')
    expect(foreignIn(written)).toBe('')
    expect(written.length).toBeLessThan(MOST)
    await screen.close()
  },
)

test('the start of an oversized text is made into lines, with a note of how much is left', async () => {
  const wide = '日'.repeat(200_000)
  await fixture.addTask('Wide', {
    description: wide,
    acceptanceCriteria: Array.from({ length: 200 }, () => wide.slice(0, 10_000)),
  })
  const controller = await openController(fixture)
  controller.press('G', 'enter')
  const lines = linesOf(controller)
  expect(lines.length).toBeLessThan(5000)
  expect(lines).toContain('… and 170000 more characters')
  expect(lines.some((line) => /^… and \d+ more$/.test(line))).toBe(true)
  // Only a change of the width wraps a long text again.
  expect(linesOf(controller).length).toBe(lines.length)
  const command: GitCommandView = {
    at: fixture.core.clock(),
    folder: '/',
    argv: ['x'.repeat(10_000_000), 'y'],
    exitCode: 1,
    ms: 1,
    said: floods['wide characters']!,
  }
  controller.change(open({ kind: 'commands', commands: [command], top: 0 }))
  expect(linesOf(controller).length).toBeLessThan(60)
})

const linesOf = (controller: TestController): readonly string[] => {
  const sheet = sheetOf(controller.state())!
  return Array.from({ length: sheet.total }, (_, at) => sheet.line(at).text)
}
