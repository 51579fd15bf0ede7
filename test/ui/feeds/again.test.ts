import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { eventually } from '../../support/eventually.ts'
import { type Fixture, openFixture } from '../fixture.ts'
import { openScreen, type Screen } from '../screen.ts'

let fixture: Fixture
let screen: Screen

beforeEach(async () => {
  fixture = await openFixture()
})

afterEach(async () => {
  await screen.close()
  fixture.close()
})

/** Work that fails at its first two calls. */
const failingFirst = <In extends unknown[], Out>(real: (...given: In) => Promise<Out>) => {
  let calls = 0
  return async (...given: In): Promise<Out> => {
    if (++calls <= 2) throw new Refusal('git_failed', 'git diff-tree failed: the machine is busy.')
    return real(...given)
  }
}

describe('a feed that could not read reads again, without a key or a commit:', () => {
  it('a review', async () => {
    await fixture.addWorktree('user-auth')
    await fixture.makeReady('user-auth')
    fixture.world.reviewWorktree = failingFirst(async () => fixture.world.review)
    screen = openScreen(fixture)
    await screen.shows('ready')
    await screen.press('4', 'i')
    await screen.shows('git diff-tree failed: the machine is busy.')
    await screen.shows('src/login.ts')
    await screen.lacks('the machine is busy')
  })

  it('the reason in a form', async () => {
    fixture.world.whyUnconfined = failingFirst(async () => 'no sandbox: bubblewrap is not installed')
    screen = openScreen(fixture)
    await screen.shows('No agents')
    await screen.press('2', 's')
    await screen.shows('no sandbox: bubblewrap is not installed')
  })

  it('everything that a radar was asked for when it was opened', async () => {
    const asked: unknown[] = []
    screen = openScreen(fixture)
    await screen.shows('1 Board')
    fixture.world.radar = async (what) => {
      asked.push(what?.everything)
      if (asked.length <= 3) throw new Refusal('git_failed', 'git merge-tree failed: the machine is busy.')
      return fixture.world.seen
    }
    await screen.press('C')
    await eventually(() => expect(asked.filter(Boolean).length).toBeGreaterThan(0))
    const wished = asked.indexOf(true)
    await eventually(() => expect(asked.length).toBeGreaterThan(Math.max(4, wished + 1)))
    // Each try asks for everything, until one has succeeded.
    expect(asked.slice(wished, 4)).toEqual(Array.from({ length: Math.max(0, 4 - wished) }, () => true))
    expect(asked.at(-1)).toBe(false)
  })

  it('the output of an agent beside another that cannot be read', async () => {
    for (const id of ['ada', 'bob'])
      await perform(fixture.core, registerAgent, { id, personaId: 'implementer' }, person)
    const read = fixture.world.readOutput.bind(fixture.world)
    let fails = true
    fixture.world.readOutput = async (agentId, from) => {
      if (agentId === 'bob' && fails) throw new Refusal('remote_unreachable', 'The host of bob does not answer.')
      return read(agentId, from)
    }
    fixture.world.output.set('ada', 'hello from ada\n')
    screen = openScreen(fixture)
    await screen.shows('1 Board')
    await screen.press('L')
    await screen.shows('The host of bob does not answer.')
    fails = false
    await screen.shows(/ada +hello from ada/)
  })
})
