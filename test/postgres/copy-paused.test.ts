import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository, until } from '../effects/swarm.ts'
import { aiswarm, answer, start } from '../stories/program.ts'
import { newAddress, ownCluster } from '../support/board-on-server.ts'

const cluster = ownCluster({ fsync: false })

/** A repository on whose board a program runs a task until the file `done` is there. */
const busy = async () => {
  const root = repository()
  const add = (title: string, command: string) =>
    answer(root, 'task', 'add', title, '--persona', 'implementer', '--command', command)
  await add('slow', 'until [ -e done ]; do sleep 0.05; done')
  const program = start(root, ['run'])
  const states = async () =>
    (await answer<readonly { status: string }[]>(root, 'task', 'list')).map(({ status }) => status)
  await until('the agent', async () => (await states())[0] === 'in_progress')
  const { url, schema } = newAddress(cluster)
  const copy = start(root, ['db', 'copy', '--to', `${url}&schema=${schema}`, '--pause'])
  await until('the copy to wait', () => copy.said().includes('Agent implementer-1 is running. Waiting for its end.'))
  return { root, add, program, states, copy }
}

test('db copy --pause starts no more tasks, waits for what works on the board, and resumes scheduling there', async () => {
  const { root, add, program, states, copy } = await busy()
  await add('later', 'true')
  writeFileSync(join(root, 'done'), '')
  await until('the program', () => /Process \d+ works on this board \(supervisor\)\. Waiting/.test(copy.said()))
  expect(await states()).toEqual(['completed', 'pending'])
  program.child.kill('SIGTERM')
  await program.ended
  const { code, out } = await copy.ended
  expect(code, copy.said()).toBe(0)
  expect(out).toMatch(/^Copied \d+ rows/)
  expect(existsSync(join(root, '.aiswarm/store.yaml'))).toBe(true)
  expect(await states()).toEqual(['completed', 'pending'])
  expect(await answer(root, 'session', 'show')).toMatchObject({ status: 'running', pausedAt: null })
})

test('a copy that is interrupted while it waits resumes scheduling, and leaves the board where it is', async () => {
  const { root, add, states, copy } = await busy()
  expect(await answer(root, 'session', 'show')).toMatchObject({ pausedAt: expect.any(String) as string })
  copy.child.kill('SIGINT')
  expect((await copy.ended).code).not.toBe(0)
  expect(existsSync(join(root, '.aiswarm/store.yaml'))).toBe(false)
  await add('next', 'true')
  writeFileSync(join(root, 'done'), '')
  await until('the next task', async () => (await states())[1] === 'completed')
  expect((await aiswarm(root, 'status')).out).not.toContain('postgresql:')
})
