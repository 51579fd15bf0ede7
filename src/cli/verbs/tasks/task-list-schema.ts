import { jsonSchemaOf } from '../../../operations/door/json-schema.ts'
import { importTasks } from '../../../operations/tasks/import-tasks.ts'

/** The JSON Schema of a file for `task import`, as text; published as `schemas/task_list.json`. */
export const taskListSchema = (): string =>
  `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'A list of tasks for aiswarm task import', ...jsonSchemaOf(importTasks.input, 'input') }, null, 2)}\n`
