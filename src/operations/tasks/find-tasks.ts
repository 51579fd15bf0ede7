import { z } from 'zod'
import { selectMatches } from '../../db/task-filter.ts'
import { kindRules } from '../../domain/settings/persona-settings.ts'
import { operation } from '../perform/operation.ts'
import { whereOf } from './list.ts'

export const findTasks = operation({
  name: 'find_tasks',
  summary: 'Find the tasks that match a filter in a span of numbers, so that a board of any size is searched in parts',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      where: z.string().max(2000),
      from: z.int().min(0).default(1),
      span: z.int().min(1).max(10_000).default(2000),
    }),
  output: () =>
    z.object({
      ids: z.array(z.int()).readonly(),
      next: z.int().nullable().describe('Where to continue; null at the end of the board'),
    }),
  run: async (context, { where, from, span }) => {
    const {
      where: asked = { terms: [], now: context.now, quietSince: context.now, kinds: kindRules(context.settings) },
    } = whereOf(where, context)
    return selectMatches(context.db, asked, from, span)
  },
})
