import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrations } from '../../../bench/bench-core.ts'
import { openPostgres } from '../../../src/db/postgres/open.ts'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'
import { landQueue } from '../../../src/effects/integration/merge-queue.ts'
import { openWorld } from '../../../src/effects/opening/open-core.ts'

// Merges the approved integrations of a clone into main, again and again: `node integrator.ts URL ROOT`. It prints a line
// for each try that ended with an error.

const [url = '', root = ''] = process.argv.slice(2)
const world = await openWorld(root, {
  openStore: () => openPostgres({ url, schema: 'board' }, { migrations: join(migrations, 'postgres') }),
  self: [process.execPath],
  warn: (sentence) => console.log(sentence),
})
for (;;) {
  try {
    await landQueue(world, 'main')
  } catch (error) {
    console.log(isRefusal(error) ? error.code : String(error))
  }
  await sleep(20)
}
