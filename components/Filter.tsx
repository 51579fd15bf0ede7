import type { SafeText } from '../src/domain/safe-text.ts'
import { Paint } from './Paint.tsx'

/** The line in which the words of the filter are typed. */
export const Filter = ({ text }: { readonly text: SafeText }) => (
  <Paint label={`filter: ${text}`}>
    <Paint bold>{' / '}</Paint>
    {text}
    <Paint inverse> </Paint>
    <Paint dim>{'  enter keeps, esc clears'}</Paint>
  </Paint>
)
