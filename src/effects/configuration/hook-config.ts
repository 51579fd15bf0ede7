import { z } from 'zod'
import { hookEvents, type Hook, type HookEvent } from '../../domain/settings/hooks.ts'

// Parses the section `on` of the configuration.

const address = z.string().superRefine((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const refuse = (message: string): void => context.addIssue({ code: 'custom', message })
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    refuse(`'${text.slice(0, 60)}' is not a URL; http://… or https://… is expected`)
  // fetch refuses such addresses, and logs would contain the password.
  else if (url.username !== '' || url.password !== '')
    refuse('a URL must not contain a password; use an Authorization header')
})

const headers = z
  .record(z.string(), z.string())
  .refine((given) => canBeHeaders(given), 'a header name has only letters and dashes, and its value is one line')

const canBeHeaders = (given: Readonly<Record<string, string>>): boolean => {
  try {
    new Headers(given)
    return true
  } catch {
    return false
  }
}

const hook = z
  .strictObject({
    run: z.string().min(1, 'the command is empty').optional(),
    post: address.optional(),
    headers: headers.optional(),
  })
  .refine(({ run, post }) => (run === undefined) !== (post === undefined), "a hook has either 'run' or 'post'")
  .refine(({ run, headers }) => run === undefined || headers === undefined, "'headers' requires 'post'")
  .transform(({ run, post, headers = {} }): Hook => (run === undefined ? { post: post!, headers } : { run }))

/** One hook or a list; a plain text is a command. */
const listed = z.preprocess(
  (value) =>
    (value === null ? [] : Array.isArray(value) ? (value as unknown[]) : [value]).map((one) =>
      typeof one === 'string' ? { run: one } : one,
    ),
  z.array(hook),
)

export const hooks = z
  .object(Object.fromEntries(hookEvents.map((event) => [event, listed])) as Record<HookEvent, typeof listed>)
  .partial()
  .nullish()
