const shared = ['localeMatcher', 'numberingSystem']
const digits = [
  'minimumIntegerDigits',
  'minimumFractionDigits',
  'maximumFractionDigits',
  'minimumSignificantDigits',
  'maximumSignificantDigits',
  'roundingIncrement',
  'roundingMode',
  'roundingPriority',
  'trailingZeroDisplay',
  'notation',
  'compactDisplay',
]
const numbers = 'style currency currencyDisplay currencySign unit unitDisplay useGrouping signDisplay'
const dates = `calendar hour12 hourCycle timeZone weekday era year month day dayPeriod hour minute second
  fractionalSecondDigits timeZoneName formatMatcher dateStyle timeStyle`

/** What the platform reads of the options of each formatter, so that a script reads no more. */
const names: Readonly<Record<string, readonly string[]>> = {
  NumberFormat: [...shared, ...digits, ...numbers.split(' ')],
  DateTimeFormat: [...shared, ...dates.split(/\s+/)],
  ListFormat: ['localeMatcher', 'type', 'style'],
  PluralRules: ['localeMatcher', 'type', ...digits],
  RelativeTimeFormat: [...shared, 'style', 'numeric'],
  Collator: ['localeMatcher', 'usage', 'collation', 'numeric', 'caseFirst', 'sensitivity', 'ignorePunctuation'],
  DisplayNames: ['localeMatcher', 'style', 'type', 'fallback', 'languageDisplay'],
}

/** @param kind of formatter, as `Intl` names it */
export const optionsOf = (kind: string): readonly string[] => (Object.hasOwn(names, kind) ? names[kind]! : [])
