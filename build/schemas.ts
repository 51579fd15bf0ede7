import { mkdirSync, writeFileSync } from 'node:fs'
import { taskListSchema } from '../src/cli/verbs/tasks.ts'
import { publishedSchemas } from '../src/memory/dual-memory/schemas.ts'

// `npm run schemas` writes schemas/ from the definitions.

const folder = new URL('../schemas/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const [name, content] of Object.entries({ ...publishedSchemas(), 'task_list.json': taskListSchema() }))
  writeFileSync(new URL(name, folder), content)
