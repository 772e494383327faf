import { render } from "preact";
import { writeOutAll } from "./language/writtenOut";
import { Shell } from "./shell/Shell";

writeOutAll();
const page = document.createElement("div");
page.id = "page";
document.body.append(page);
render(<Shell />, page);
