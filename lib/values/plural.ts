/** A count with its noun: `1 mail`, `412 mails`, `1,200 mails`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`
