// @ts-check
// Things by what they have in common. Not `Map.groupBy`, which browsers of 2023 do not have.

/**
 * @template Item
 * @template Key
 * @param {Iterable<Item>} items
 * @param {(item: Item) => Key} keyOf
 * @returns {Map<Key, Item[]>} in the order in which the keys come first
 */
export function groupBy(items, keyOf) {
  /** @type {Map<Key, Item[]>} */
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
