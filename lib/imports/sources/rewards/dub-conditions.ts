/** The conditions of Dub's rewards: an entity's attribute, an operator, and a value. */
import type { Condition } from '../../../rules/rewards/conditions.ts'
import { MAX_MONTHS, MAX_VALUE_LENGTH, MAX_VALUES } from '../../../rules/rewards/limits.ts'
import { formatMoney, MAX_AMOUNT_CENTS } from '../../../values/money.ts'
import { type Fields, listOf, textOf } from '../platforms/json.ts'
import { unknownFields } from './read-reward.ts'

/** @property isPerProduct whether Dub decides the products of a sale one by one */
export type ConditionScope = { event: 'sale' | 'lead'; isPerProduct: boolean }

export type ReadCondition = { condition: Condition; name: string } | { refused: string }

type Asked = { operator: string; value: unknown; label: string | null; scope: ConditionScope }

/** @returns null for an operator or value without a counterpart */
type Reader = (asked: Asked) => { condition: Condition; name: string } | null

const KNOWN = ['entity', 'attribute', 'operator', 'value', 'label', 'metadataField']

/** Values that `equals_to` or `in` compare with; null for another operator or unreadable values. */
const valuesOf = ({ operator, value }: Asked): string[] | null => {
  if (operator !== 'equals_to' && operator !== 'in') return null
  const values = operator === 'in' ? listOf(value) : [value]
  const texts = values.map((one) => {
    const text = textOf(one)
    // Dub compares exactly: a value that reading would change means another one.
    return text === String(one) ? text : null
  })
  const isReadable = texts.length > 0 && texts.length <= MAX_VALUES
  return isReadable && texts.every((text) => text !== null) ? texts : null
}

const isShort = (texts: string[]): boolean =>
  texts.every(({ length }) => length <= MAX_VALUE_LENGTH)

type Bounds = { from?: number; below?: number }

/** The whole numbers that a comparison holds for. */
const boundsOf = ({ operator, value }: Asked, most: number): Bounds | null => {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
  if (!Number.isInteger(number) || number < 0 || number >= most) return null
  switch (operator) {
    case 'equals_to':
      return { from: number, below: number + 1 }
    case 'greater_than':
      return { from: number + 1 }
    case 'greater_than_or_equal':
      return { from: number }
    case 'less_than':
      return number === 0 ? null : { below: number }
    case 'less_than_or_equal':
      return { below: number + 1 }
    default:
      return null
  }
}

const readCountry: Reader = (asked) => {
  const countries = valuesOf(asked)
  return countries?.every((text) => /^[A-Z]{2}$/.test(text))
    ? { condition: { fact: 'country', in: countries }, name: `Country ${countries.join(', ')}` }
    : null
}

const readProduct: Reader = (asked) => {
  const ids = valuesOf(asked)
  return ids && isShort(ids)
    ? { condition: { fact: 'product', in: ids }, name: `Product ${asked.label ?? ids.join(', ')}` }
    : null
}

/** The first sale, or later ones. */
const readSaleType: Reader = (asked) => {
  const types = valuesOf(asked)
  if (types?.length !== 1) return null
  if (types[0] === 'new')
    return { condition: { fact: 'payment', atMost: 1 }, name: 'First payment' }
  return types[0] === 'recurring'
    ? { condition: { fact: 'payment', atLeast: 2 }, name: 'Renewals' }
    : null
}

const readAmount: Reader = (asked) => {
  const bounds = boundsOf(asked, MAX_AMOUNT_CENTS)
  if (!bounds) return null
  const { from, below } = bounds
  return {
    condition: {
      fact: asked.scope.isPerProduct ? 'lineAmount' : 'saleAmount',
      currency: 'USD',
      ...(from !== undefined && { atLeastCents: from }),
      ...(below !== undefined && { belowCents: below }),
    },
    name: `Amount${rangeText(bounds, (cents) => formatMoney(cents, 'USD'))}`,
  }
}

const readMonths: Reader = (asked) => {
  const bounds = boundsOf(asked, MAX_MONTHS)
  if (!bounds) return null
  const { from, below } = bounds
  return {
    condition: {
      fact: 'customerMonths',
      ...(from !== undefined && { atLeast: from }),
      ...(below !== undefined && { below }),
    },
    name: `Months${rangeText(bounds, String)}`,
  }
}

const rangeText = ({ from, below }: Bounds, write: (number: number) => string): string =>
  [
    ...(from === undefined ? [] : [` from ${write(from)}`]),
    ...(below === undefined ? [] : [` below ${write(below)}`]),
  ].join('')

/** @param key the field of the metadata */
const readMetadata =
  (key: string | null): Reader =>
  (asked) => {
    const values = asked.operator === 'equals_to' ? valuesOf(asked) : null
    return key && values && isShort([key, ...values])
      ? {
          condition: { fact: 'metadata', key, in: values },
          name: `${key} ${values.join(', ')}`,
        }
      : null
  }

const OF_SALES = new Map<string, Reader>([
  ['sale.productId', readProduct],
  ['sale.type', readSaleType],
  ['sale.amount', readAmount],
  ['customer.subscriptionDurationMonths', readMonths],
])

/** @param key the field of the metadata, if the condition names one */
const readerOf = (name: string, event: ConditionScope['event'], key: string | null) => {
  if (name === 'customer.country') return readCountry
  if (name === `${event}.metadata`) return readMetadata(key)
  return event === 'sale' ? OF_SALES.get(name) : undefined
}

/** A condition, or why it has no counterpart. Strict: what is not known is refused. */
export const readCondition = (item: Fields, scope: ConditionScope): ReadCondition => {
  const name = `${textOf(item.entity) ?? '?'}.${textOf(item.attribute) ?? '?'}`
  const [unknown] = unknownFields(item, KNOWN)
  if (unknown !== undefined)
    return { refused: `the setting “${unknown}” of “${name}” is not known here` }
  const reader = readerOf(name, scope.event, textOf(item.metadataField))
  if (!reader) return { refused: `the condition on “${name}” has no counterpart here` }
  const operator = textOf(item.operator) ?? '?'
  const read = reader({ operator, value: item.value, label: textOf(item.label), scope })
  return read ?? { refused: `“${operator}” with its value has no counterpart for “${name}”` }
}
