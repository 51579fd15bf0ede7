import { it, type TestContext } from 'vitest'
import { enter, generous, openShop, type Screen, type Shop } from './pty.ts'

/** Short leases, so that a takeover takes little time. */
const config = 'lease: {ttl: 2s, heartbeat: 300ms}\n'
/** The shortest leases for two consoles: on a busy machine a living but delayed one would lose its lease to the other. */
const ofTwo = 'lease: {ttl: 9s}\n'
const wide = { columns: 176 }

/** Counts until a file `go` is next to the repository; then ends in order. */
const counting = `node -e '
const { existsSync } = require("fs")
let i = 0
const timer = setInterval(() => {
  console.log("line " + ++i)
  if (!existsSync(process.env.AISWARM_ROOT + "/../go")) return
  clearInterval(timer)
  console.log("the end")
}, 50)'`

interface AgentAtWork {
  readonly id: string
  readonly processId: number
  readonly taskId: number
}

const atWork = (shop: Shop): Promise<readonly AgentAtWork[]> => shop.answer('agent', 'list')

/** Types a task with a command into the form. */
const newTask = async (screen: Screen, title: string, command: string): Promise<void> => {
  screen.press('n')
  await screen.until('[New task]')
  screen.press(title)
  screen.press('\t\t\t\t')
  await screen.until('▸Command')
  screen.press(command)
  await screen.until(command)
  screen.press(enter)
  await screen.until('Created task')
}

it.concurrent(
  'one of two consoles supervises; both show the same, and when it quits the other takes over',
  generous,
  async (test) => {
    const shop = openShop(test, { config: ofTwo })
    const first = await shop.console(wide)
    await newTask(first, 'Bake', 'echo baked')
    await first.until(/ 1 .*✓ done .*Bake/)
    const second = await shop.console(wide)
    await second.until(`supervised by pid ${first.pid}`)
    await second.until(/ 1 .*✓ done .*Bake/)

    await newTask(second, 'Cool', 'echo cooled')
    await first.until(/ 2 .*✓ done .*Cool/)
    await second.until(/ 2 .*✓ done .*Cool/)
    await first.lacks('supervised')

    first.press('q')
    test.expect(await first.ended()).toBe(0)
    await second.lacks('supervised')
    await newTask(second, 'Slice', 'echo sliced')
    await second.until(/ 3 .*✓ done .*Slice/)
    second.press('q')
    test.expect(await second.ended()).toBe(0)
  },
)

it.concurrent('a second console takes over when the lease of a killed one has expired', generous, async (test) => {
  const shop = openShop(test, { config: ofTwo })
  const first = await shop.console(wide)
  await newTask(first, 'Bake', 'echo baked')
  await first.until(/ 1 .*✓ done .*Bake/)
  const second = await shop.console(wide)
  await second.until(`supervised by pid ${first.pid}`)
  await first.kill()
  await newTask(second, 'Cool', 'echo cooled')
  await second.until(/ 2 .*✓ done .*Cool/)
  await second.lacks('supervised')
})

/** Three agents at work in worktrees of their own, and the console that started them. */
const threeAtWork = async (shop: Shop): Promise<{ screen: Screen; agents: readonly AgentAtWork[] }> => {
  for (const name of ['one', 'two', 'three']) await shop.worktree(name)
  const screen = await shop.console()
  await shop.addAll(
    ['one', 'two', 'three'].map((name) => ({ title: `Count ${name}`, command: counting, targetWorktree: name })),
  )
  for (const id of [1, 2, 3]) await screen.until(new RegExp(` ${id} .*[●\\u2800-\\u28ff] working .*Count`))
  await screen.until(/line \d/)
  return { screen, agents: await atWork(shop) }
}

/** The next console has all of them, with the same processes; each ends with its complete output. */
const adopts = async (test: TestContext, shop: Shop, agents: readonly AgentAtWork[]): Promise<void> => {
  const next = await shop.console()
  for (const { id, processId } of agents) await next.until(new RegExp(`[●\\u2800-\\u28ff] ${id} .* ${processId} `))
  await next.until(/line \d/)
  test
    .expect((await atWork(shop)).map(({ id, processId }) => [id, processId]))
    .toEqual(agents.map(({ id, processId }) => [id, processId]))

  shop.write({ '../go': '' })
  for (const id of [1, 2, 3]) await next.until(new RegExp(` ${id} .*✓ done .*Count`))
  await next.until('the end')
  for (const { id, taskId } of agents) {
    const lines = (await shop.run('agent', 'logs', id, '--raw')).out.trimEnd().split('\n')
    test.expect(lines).toEqual([...Array.from({ length: lines.length - 1 }, (_, i) => `line ${i + 1}`), 'the end'])
    test.expect(await shop.answer('task', 'show', String(taskId))).toMatchObject({ status: 'completed', attempt: 1 })
  }
}

it.concurrent(
  'agents continue after the console quits, and the next console takes them over',
  generous,
  async (test) => {
    const shop = openShop(test, { config })
    const { screen, agents } = await threeAtWork(shop)
    screen.press('q')
    test.expect(await screen.ended()).toBe(0)
    for (const { processId } of agents) test.expect(process.kill(processId, 0)).toBe(true)
    await adopts(test, shop, agents)
  },
)

it.concurrent('a killed console loses nothing, and the next one takes over its agents', generous, async (test) => {
  const shop = openShop(test, { config })
  const { screen, agents } = await threeAtWork(shop)
  await screen.kill()
  for (const { processId } of agents) test.expect(process.kill(processId, 0)).toBe(true)
  await adopts(test, shop, agents)
})
