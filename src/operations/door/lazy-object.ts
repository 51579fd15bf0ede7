import { z } from 'zod'
import { once } from '../../domain/words/once.ts'

// Schemas of objects that are built when they are first used; the functions give the same one from then on.

/** Keys that are not in the shape are left out. */
export const lazyObject = <Shape extends z.ZodRawShape>(shape: () => Shape) => once(() => z.object(shape()))

/** Keys that are not in the shape are refused. */
export const lazyStrictObject = <Shape extends z.ZodRawShape>(shape: () => Shape) => once(() => z.strictObject(shape()))
