import { afterEach, beforeEach, expect, test } from 'vitest'
import { person } from '../../../src/domain/actor.ts'
import { claimTask } from '../../../src/operations/claim-task.ts'
import { perform } from '../../../src/operations/kernel/perform.ts'
import { registerAgent } from '../../../src/operations/register-agent.ts'
import { fileOf, reviewOfFiles } from '../../support/review.ts'
import type { GitCommandView } from '../../../src/operations/kernel/outside.ts'
import { open } from '../../../src/ui/overlays.ts'
import { sheetOf } from '../../../src/ui/sheets.ts'
import { foreignIn } from '../../support/stream.ts'
import { openDesk, type TestDesk } from '../desk.ts'
import { type Fixture, openFixture } from '../fixture.ts'
import { dev, memories } from '../memories.ts'
import { openScreen } from '../screen.ts'

// Lines without end: of 10 MB, of marks that take no column, of colours that take none either, and no text but line ends.

const floods: Readonly<Record<string, string>> = {
  'a line of 10 MB': 'x'.repeat(10_000_000),
  'marks on one letter': `e${'\u0301'.repeat(3_000_000)}`,
  'changes of colour': `\u001b[31m\u001b[32m`.repeat(300_000),
  'wide characters': '日'.repeat(300_000),
  'line ends alone': '\n'.repeat(300_000),
  'a line that is begun anew': 'x\r'.repeat(2_000_000),
}

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addTask('Flood')
  await perform(fixture.core, registerAgent, { id: 'ada', personaId: 'implementer' }, person)
  await perform(fixture.core, claimTask, { taskId: 1, agentId: 'ada' }, person)
})
afterEach(() => fixture.close())

/** What is written for one view, however much there is to show: some frames of this size. */
const MOST = 1_000_000

test.each(Object.entries(floods))('%s of an output, and what comes behind it, is shown, and little is written', async (_, flood) => {
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
})

test('a line of 10 MB can be opened wherever it is read whole, and left again', { timeout: 600_000 }, async () => {
  const flood = floods['a line of 10 MB']!
  const { world } = fixture
  await fixture.addWorktree('user-auth')
  await fixture.makeReady('user-auth')
  world.review = reviewOfFiles([fileOf('long', `@@ -1 +1 @@\n-a\n+${flood.replaceAll('\n', '')}\n`)])
  world.verification = `${flood}\nbehind the flood\n`
  world.files = memories({ working: [{ ...dev, notes: { ...dev.notes!, observations: [{ timestamp: fixture.core.clock(), content: flood, context: {} }] } }] })
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
})

test('of what is longer than anybody reads the beginning is made into lines, and it says how much is left', async () => {
  const wide = '日'.repeat(200_000)
  await fixture.addTask('Wide', { description: wide, acceptanceCriteria: Array.from({ length: 200 }, () => wide.slice(0, 10_000)) })
  const desk = await openDesk(fixture)
  desk.press('G', 'enter')
  const lines = linesOf(desk)
  expect(lines.length).toBeLessThan(5000)
  expect(lines).toContain('… and 170000 characters more')
  expect(lines.some((line) => /^… and \d+ more$/.test(line))).toBe(true)
  // Only a change of the width folds a long text anew.
  expect(linesOf(desk).length).toBe(lines.length)
  const command: GitCommandView = { at: fixture.core.clock(), folder: '/', argv: ['x'.repeat(10_000_000), 'y'], exitCode: 1, ms: 1, said: floods['wide characters']! }
  desk.change(open({ kind: 'commands', commands: [command], top: 0 }))
  expect(linesOf(desk).length).toBeLessThan(60)
})

const linesOf = (desk: TestDesk): readonly string[] => {
  const sheet = sheetOf(desk.state())!
  return Array.from({ length: sheet.total }, (_, at) => sheet.line(at).text)
}
