// The two loops in JavaScript. Each line asked, "target limit", is answered by one: "i j tried".
'use strict';

function search(target, limit) {
  let first = 0, second = 0, tried = 0;
  for (let i = 1; i < limit; i++) {
    let j = i + 1;
    for (; j <= limit; j++) {
      if (i * j === target) {
        first = i;
        second = j;
        break;
      }
    }
    tried += Math.min(j, limit) - i;
  }
  return `${first} ${second} ${tried}`;
}

// A line is read and answered at once: nothing waits for the event loop.
const files = require('fs');
const line = Buffer.alloc(64);
for (let size; (size = files.readSync(0, line)) > 0;) {
  files.writeSync(1, search(...line.toString('ascii', 0, size).split(' ').map(Number)) + '\n');
}
