import { expect, it } from 'vitest'
import type { Outside } from '../../../src/contracts/outside.ts'
import { insertHost } from '../../../src/db/hosts.ts'
import { system } from '../../../src/domain/agent/actor.ts'
import { withOtherHosts } from '../../../src/effects/hosts/elsewhere.ts'
import type { World } from '../../../src/effects/world.ts'
import { openCore } from '../../support/core.ts'

/** The outside of the first host, while an agent runs on another one. */
const outsideWithAgentElsewhere = async (): Promise<Outside> => {
  const { core, store, agent } = await openCore()
  await agent('ada')
  await store.write((db) =>
    insertHost(db, { id: 'b', name: 'build-2', machine: 'b', root: '/b', program: '1', beat_at: null, joined_at: 'x' }),
  )
  await store.write((db) => db.updateTable('agents').set({ host_id: 'b' }).where('id', '=', 'ada').execute())
  const here = { readOutput: () => Promise.reject(new Error('not here')) } as unknown as Outside
  return withOtherHosts({ core: { ...core, host: 'local' }, actor: system() } as unknown as World, here)
}

it('a follower of the output of an agent on another host reads once where it is', async () => {
  const outside = await outsideWithAgentElsewhere()
  const first = await outside.readOutput('ada', { offset: 0 })
  expect(first.text).toBe('The output of ada is on host build-2.\n')
  expect((await outside.readOutput('ada', { offset: first.next })).text).toBe('')
  expect((await outside.readOutput('ada', { tail: 100 })).text).toBe(first.text)
})
