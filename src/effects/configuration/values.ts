import { z } from 'zod'
import { parseDuration } from '../../domain/words/time.ts'

// Values of the configuration that have a unit.

/** Longer durations mean "never", and no instant is so far away (ms). */
const LONGEST_DURATION = 3650 * 86_400_000

/** Parses a duration into milliseconds. */
export const milliseconds = z.union([z.string(), z.number()]).transform((value, context) => {
  const parsed = typeof value === 'number' ? value * 1000 : parseDuration(value)
  if (parsed !== undefined && parsed >= 0) return Math.min(parsed, LONGEST_DURATION)
  context.addIssue({ code: 'custom', message: `'${value}' is not a duration; write 500ms, 30s, 10m or 2h` })
  return z.NEVER
})

/** Limits of all processes of one agent together. */
export const processLimits = () =>
  z
    .object({
      memory: size.refine((bytes) => bytes >= 64 * 1024 ** 2, 'an agent needs at least 64 MB').nullable(),
      processes: z.int('a whole number is expected').min(16, 'an agent needs at least 16 processes').nullable(),
      cpuWeight: z.int('a whole number is expected').min(1).max(10_000).nullable(),
    })
    .partial()

const units = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 } as const

/** Parses a size into bytes. */
export const size = z.union([z.string(), z.number()]).transform((value, context) => {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(B|KB|MB|GB)$/i.exec(String(value)) ?? []
  if (number !== undefined && unit !== undefined)
    return Math.min(
      Math.round(Number(number) * units[unit.toUpperCase() as keyof typeof units]),
      Number.MAX_SAFE_INTEGER,
    )
  context.addIssue({ code: 'custom', message: `'${value}' is not a size; write 64MB or 1GB` })
  return z.NEVER
})
