import { expect, it } from 'vitest'
import type { Outside } from '../../../src/contracts/outside.ts'
import { insertHost } from '../../../src/db/hosts.ts'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { withOtherHosts } from '../../../src/effects/hosts/other-hosts.ts'
import { takeOverConversation } from '../../../src/effects/opening/take-over.ts'
import type { World } from '../../../src/effects/world.ts'
import { recordRunTail } from '../../../src/operations/hosts/calls.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { openCore, refusal } from '../../support/core.ts'

/** The outside of the first host, while an agent runs on another one. */
const outsideWithAgentElsewhere = async () => {
  const { core, store, agent } = await openCore()
  await agent('ada')
  await store.write((db) =>
    insertHost(db, { id: 'b', name: 'build-2', machine: 'b', root: '/b', program: '1', beat_at: null, joined_at: 'x' }),
  )
  await store.write((db) => db.updateTable('agents').set({ host_id: 'b' }).where('id', '=', 'ada').execute())
  const here = { readOutput: () => Promise.reject(new Error('not here')) } as unknown as Outside
  const world = { core: { ...core, host: 'local' }, actor: system() } as unknown as World
  return { core, store, outside: withOtherHosts(world, here) }
}

it('a follower of the output of an agent on a host that cannot be asked reads once why, and the last output on the board', async () => {
  const { outside, core } = await outsideWithAgentElsewhere()
  await perform(core, recordRunTail, { agentId: 'ada', content: 'almost done\n', size: 12 }, system())
  const first = await outside.readOutput('ada', { offset: 0 })
  expect(first.text).toMatch(
    /^Host build-2 has no worker, so it cannot be asked\. Try again when it is back\. Its last output, of \d\d:\d\d:\d\d:\nalmost done\n$/,
  )
  expect((await outside.readOutput('ada', { offset: first.next })).text).toBe('')
  expect((await outside.readOutput('ada', { tail: 100 })).text).toBe(first.text)
})

it('a follower of the output of an agent waits where it is while the host of the agent cannot be asked', async () => {
  const { outside } = await outsideWithAgentElsewhere()
  expect(await outside.readOutput('ada', { offset: 4711 })).toEqual({ text: '', next: 4711, size: 4711 })
})

it('an agent of another host is not stopped by a person who wants its conversation here', async () => {
  const { core, store } = await outsideWithAgentElsewhere()
  const world = { core: { ...core, host: 'local' }, actor: system(), kinds: new Map() } as unknown as World
  await store.write((db) =>
    db.updateTable('agents').set({ process: 'wanted', run: 1 }).where('id', '=', 'ada').execute(),
  )
  expect((await refusal(takeOverConversation(world, 'ada', person))).message).toBe(
    "Agent ada is on host build-2. Take its conversation over there: 'aiswarm agent take-over ada'.",
  )
  expect(
    await store.read
      .selectFrom('agents')
      .select(['id', 'stop_requested_at'])
      .where('id', 'not in', ['human', 'aiswarm'])
      .execute(),
  ).toEqual([{ id: 'ada', stop_requested_at: null }])
})
