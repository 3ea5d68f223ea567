"use strict";
{
  const picture = JSON.parse(document.getElementById("picture").textContent);
  const find = (id) => document.getElementById(id);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const FLIGHT_MS = 700;
  const PAUSE_MS = 1900;
  const last = picture.frames.length - 1;

  const make = (tag, style, ...children) => {
    const element = document.createElement(tag);
    if (style) element.className = style;
    element.append(...children);
    return element;
  };

  // Places stand in the order in which frames number them: panel by panel, grid by grid, row by row.
  const places = [];
  const rows = [];
  const heads = new Map();

  function makeHead(panel, grid, isFirst) {
    const groups = make("tr");
    const ranks = make("tr");
    groups.append(make("td", "gap"));
    ranks.append(make("th", "heading", grid.heading));
    panel.groups.forEach((group, number) => {
      if (number > 0) for (const row of [groups, ranks]) row.append(make("td", "gap"));
      const title = make("th", "node", group.title);
      title.colSpan = group.ranks.length;
      title.scope = "colgroup";
      groups.append(title);
      for (const rank of group.ranks) {
        const name = make("span", "name", grid.is_by_rank ? `P${rank}` : "");
        const note = make("span", "note");
        const head = make("th", "", name, note);
        head.scope = "col";
        if (isFirst) heads.set(rank, { name, note });
        ranks.append(head);
      }
    });
    return make("thead", "", ...(panel.groups.length > 1 ? [groups, ranks] : [ranks]));
  }

  function makeLabel(grid, row) {
    const label = make("th", "", make("span", "label", grid.rows[row]));
    label.scope = "row";
    if (!grid.digits.length) return label;
    const digits = [...grid.digits[row]].map((digit) => make("b", "", digit));
    label.append(make("span", "digits", ...digits));
    return label;
  }

  function makeGrid(panel, grid, isFirst) {
    const body = make("tbody");
    grid.rows.forEach((_, number) => {
      const row = make("tr", "", makeLabel(grid, number));
      panel.groups.forEach((group, at) => {
        if (at > 0) row.append(make("td", "gap"));
        for (const rank of group.ranks) {
          const place = make("td");
          place.dataset.name = grid.title ? `${grid.title} of ${group.title}` : `P${rank}`;
          places.push(place);
          row.append(place);
        }
      });
      rows.push({ row, digits: row.querySelectorAll(".digits b"), isNamed: !grid.title });
      body.append(row);
    });
    const table = make("table", "", makeHead(panel, grid, isFirst), body);
    if (grid.title) table.prepend(make("caption", "", grid.title));
    return table;
  }

  const panels = picture.panels.map((panel) => {
    const grids = panel.grids.map((grid, at) => makeGrid(panel, grid, at === 0));
    const title = panel.groups.length === 1 ? panel.groups[0].title : "";
    return make("section", "panel", ...(title ? [make("h3", "", title)] : []), ...grids);
  });
  find("stage").append(make("div", "panels", ...panels));

  const blocks = picture.blocks.map(([source, destination], number) => {
    const block = make("div", `block to${destination}`, `${source}→`, make("b", "", destination));
    block.setAttribute("role", "img");
    block.setAttribute("aria-label", `block from ${source} to ${destination}`);
    block.addEventListener("click", () => follow(followed === number ? null : number));
    return block;
  });

  let now = 0;
  let followed = null;
  let timer = null;

  function fly(block, from) {
    const to = block.getBoundingClientRect();
    const path = [{ transform: `translate(${from.left - to.left}px, ${from.top - to.top}px)`, zIndex: 3 },
      { transform: "none", zIndex: 3 }];
    block.animate(path, { duration: FLIGHT_MS, easing: "cubic-bezier(0.45, 0, 0.2, 1)" });
  }

  function place(frame, moves) {
    const moving = blocks.filter((block, number) => block.parentNode !== places[frame.places[number]]);
    const before = new Map(moving.map((block) => [block, block.getBoundingClientRect()]));
    blocks.forEach((block, number) => {
      if (block.parentNode !== places[frame.places[number]]) places[frame.places[number]].append(block);
    });
    if (moves && !calm.matches) moving.forEach((block) => fly(block, before.get(block)));
  }

  function mark(frame) {
    const moved = new Set(frame.moved);
    blocks.forEach((block, number) => block.classList.toggle("moved", moved.has(number)));
    for (const { row, digits, isNamed } of rows) {
      row.classList.toggle("moved", isNamed && row.querySelector(".block.moved") !== null);
      digits.forEach((digit, at) => digit.classList.toggle("now", at === frame.digit));
    }
    for (const [rank, { name, note }] of heads) {
      const said = frame.notes[rank];
      note.textContent = said ? `→ P${said.receiver}` : "";
      note.classList.toggle("leaves", Boolean(said && said.leaves_node));
      name.classList.toggle("leader", frame.leaders.includes(rank));
    }
  }

  function show(number, moves = true) {
    now = Math.min(Math.max(number, 0), last);
    const frame = picture.frames[now];
    place(frame, moves);
    mark(frame);
    find("step").textContent = frame.title;
    find("phase").textContent = frame.phase;
    find("sentence").textContent = frame.sentence;
    find("where").textContent = frame.title;
    find("time").value = now;
    find("time").setAttribute("aria-valuetext", frame.title);
    for (const id of ["first", "back"]) find(id).setAttribute("aria-disabled", now === 0);
    for (const id of ["forward", "last"]) find(id).setAttribute("aria-disabled", now === last);
    history.replaceState(null, "", `#${now}`);
  }

  function follow(number) {
    followed = number;
    find("stage").classList.toggle("following", number !== null);
    blocks.forEach((block, at) => block.classList.toggle("followed", at === number));
    const [source, destination] = number === null ? ["", ""] : picture.blocks[number];
    find("source").value = source;
    find("destination").value = destination;
    find("path").textContent = number === null ? "" : route(number);
  }

  function route(number) {
    const names = picture.frames.map((frame) => places[frame.places[number]].dataset.name);
    return names.filter((name, at) => at === 0 || name !== names[at - 1]).join(" → ");
  }

  function followChosen() {
    const chosen = [find("source").value, find("destination").value];
    if (chosen.includes("")) return;
    follow(picture.blocks.findIndex((block) => block.join() === chosen.join()));
  }

  for (const id of ["source", "destination"]) {
    find(id).append(make("option", "", ""), ...picture.ranks.map((rank) => new Option(`P${rank}`, rank)));
    find(id).addEventListener("change", followChosen);
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    document.body.classList.remove("playing");
    find("play").setAttribute("aria-label", "Play");
  }

  function play() {
    if (timer !== null) return pause();
    if (now === last) show(0);
    else show(now + 1);
    document.body.classList.add("playing");
    find("play").setAttribute("aria-label", "Pause");
    timer = setInterval(() => {
      show(now + 1);
      if (now === last) pause();
    }, PAUSE_MS);
  }

  const step = (number) => { pause(); show(number); };
  const actions = {
    first: () => step(0), back: () => step(now - 1), play, forward: () => step(now + 1), last: () => step(last),
  };
  for (const [id, act] of Object.entries(actions)) find(id).addEventListener("click", act);
  find("time").addEventListener("input", (event) => step(Number(event.target.value)));

  const keys = {
    Home: actions.first, ArrowLeft: actions.back, " ": play, ArrowRight: actions.forward, End: actions.last,
    Escape: () => follow(null),
  };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !keys[event.key]) return;
    if (event.target.tagName === "SELECT" && event.key !== "Escape") return;
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    event.preventDefault();
    keys[event.key]();
  });

  show(Number(location.hash.slice(1)) || 0, false);
}
