import type { SafeText } from '../src/domain/safe-text.ts'
import { type Tone, toneLooks } from './look.ts'
import { Paint } from './Paint.tsx'

/** A receipt, or the sentence of a refusal. */
export const Notice = ({ text, tone }: { readonly text: SafeText; readonly tone: Tone }) => {
  const { mark, colour, word } = toneLooks[tone]
  return text === '' ? <Paint> </Paint> : <Paint colour={colour} label={`${word}: ${text}`}>{` ${mark} ${text}`}</Paint>
}
