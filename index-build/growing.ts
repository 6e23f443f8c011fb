/** An array of numbers, of the kind of element and in the memory that it was made with. */
type Numbers =
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>

/**
 * @returns the array where it has the place; else one that begins as it does and has room for as much again, and the
 * array that was given is empty from then on.
 */
export function withPlace<A extends Numbers>(array: A, place: number): A {
  if (place < array.length) return array
  const memory = array.buffer.transfer(2 * (place + 1) * array.BYTES_PER_ELEMENT)
  return Reflect.construct(array.constructor, [memory])
}
